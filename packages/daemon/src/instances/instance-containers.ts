import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';
import { containerName } from '../plan/names.ts';

/** Lists the containers of an instance except temporary ones of actions. */
export async function containersOf(engine: Engine, uid: string): Promise<ContainerFacts[]> {
  const all = await engine.containers({ labels: { [label.managed]: 'true', [label.instance]: uid } });
  return all.filter(({ labels }) => labels[label.execution] === undefined);
}

/** Returns what has to be started, stopped or removed: the containers, or the services whose tasks they are. */
export const handlesOf = (containers: readonly ContainerFacts[]): { id: string; stopGraceMs: number }[] => [
  ...new Map(containers.map(({ id, service = id, stopGraceMs }) => [service, { id: service, stopGraceMs }])).values(),
];

/**
 * Finds the container for an action: the running one of the component, the newest during a takeover. Tries the final
 * name first, because one lookup costs a third of a list.
 */
export async function runningContainer(
  engine: Engine,
  uid: string,
  component: string,
  primary: boolean,
): Promise<ContainerFacts | undefined> {
  const fits = ({ labels, state }: ContainerFacts) =>
    labels[label.managed] === 'true' &&
    labels[label.instance] === uid &&
    labels[label.component] === component &&
    labels[label.execution] === undefined &&
    state === 'running';
  const named = await engine.inspect(containerName(uid, component, 1, primary));
  if (named && fits(named)) return named;
  const running = (await containersOf(engine, uid)).filter(fits);
  // A command on another node needs a tunnel to it.
  const isElsewhere = ({ node }: ContainerFacts) => Number(node !== undefined);
  return running.sort((a, b) => isElsewhere(a) - isElsewhere(b) || b.createdAt - a.createdAt)[0];
}
