import { componentHost } from '@hortus/template/resolution/scope';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine, LinkSpec } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';
import { isNextName } from '../plan/names.ts';

type LinkingEngine = Pick<Engine, 'ensureNetwork' | 'containers' | 'joinNetwork'>;

/** An instance that another one uses does not run on this server. */
class ProviderMissing extends Error {}

/** Creates the network of a link if necessary, and connects the running containers of the other instance to it. */
export async function connectProvider(engine: LinkingEngine, spec: LinkSpec): Promise<void> {
  const { instance, definition_id, component } = spec.link;
  const labels = { [label.managed]: 'true', [label.definition]: definition_id, [label.instance]: instance };
  const found = await engine.containers({ labels: { ...labels, [label.component]: component } });
  const serving = found.filter(isServing);
  if (serving.length === 0)
    throw new ProviderMissing(
      `The instance ${instance}, which this one is bound to, has no running container of ${component} on this server. Deploy or start it first`,
    );
  await engine.ensureNetwork(spec);
  for (const { id } of serving) await engine.joinNetwork(spec.name, id, [componentHost(instance, component)]);
}

const isServing = ({ state, name, labels, hostNetwork }: ContainerFacts): boolean =>
  state === 'running' && !isNextName(name) && labels[label.execution] === undefined && !hostNetwork;

/** Connects a new container to the instances that use its component. Idempotent. */
export async function connectUsers(
  engine: Pick<Engine, 'networks' | 'joinNetwork'>,
  id: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const { [label.definition]: definition, [label.instance]: instance, [label.component]: component } = labels;
  if (definition === undefined || instance === undefined || component === undefined) return;
  const users = { [label.managed]: 'true', [label.linkTo]: definition, [label.linkComponent]: component };
  for (const { name } of await engine.networks({ labels: users }))
    await engine.joinNetwork(name, id, [componentHost(instance, component)]);
}
