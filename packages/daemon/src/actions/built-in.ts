import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { ContainerFacts } from '../engine/container-facts.ts';
import { stuckNetwork } from '../engine/stuck-network.ts';
import { containersOf } from '../instances/instance-containers.ts';
import { type ActionOutcome, failure, success } from '../journal/action.ts';
import { label } from '../plan/labels.ts';
import type { InstanceContext, InstanceHandler } from './handlers.ts';

/** Completed jobs are not started again with the services. */
const isService = ({ labels }: ContainerFacts): boolean => labels[label.kind] !== 'job';

/** Each action brings the instance to the named state from any state, so it is idempotent. */
export const lifecycle: Readonly<Record<string, InstanceHandler>> = {
  [builtIn.start]: async ({ engine }, containers) => {
    for (const container of containers.filter(isService)) await engine.start(container.id);
    return success();
  },
  [builtIn.stop]: async ({ engine }, containers) => {
    for (const container of containers.toReversed()) await engine.stop(container.id, container.stopGraceMs);
    return success();
  },
  [builtIn.restart]: async ({ engine }, containers) => {
    const services = containers.filter(isService);
    for (const container of services.toReversed()) await engine.stop(container.id, container.stopGraceMs);
    for (const container of services) await engine.start(container.id);
    return success();
  },
  [builtIn.release]: release,
  // Sent before a release to daemons that run one command at a time; kept for servers that changed daemons.
  [builtIn.remove]: async (context, containers) => {
    await removeContainers(context, containers);
    return success();
  },
  // The instance runs elsewhere; the volumes here are copies.
  [builtIn.clear]: async (context, containers) => {
    await context.abandon();
    return await removeAll(context, containers, true);
  },
};

async function release(context: InstanceContext, containers: ContainerFacts[]): Promise<ActionOutcome> {
  const { manifest, params } = context;
  const confirmed = Array.isArray(params.confirm) ? params.confirm : [];
  const storage = (manifest?.components ?? []).flatMap((component) => component.storage);
  const unnamed = storage.filter(({ name, critical, volume }) => critical && volume && !confirmed.includes(name));
  if (params.remove_volumes === true && unnamed.length > 0) {
    const names = [...new Set(unnamed.map(({ name }) => name))].join(', ');
    return failure(`Critical volumes are removed only if confirm names them: ${names}.`);
  }
  return await removeAll(context, containers, params.remove_volumes === true);
}

async function removeAll(
  context: InstanceContext,
  containers: readonly ContainerFacts[],
  volumesToo: boolean,
): Promise<ActionOutcome> {
  const { engine, uid } = context;
  await removeContainers(context, containers);
  const labels = { [label.managed]: 'true', [label.instance]: uid } as const;
  // Also removes running jobs of schedules and actions.
  for (const job of await engine.containers({ labels })) {
    await engine.stop(job.id, job.stopGraceMs);
    await engine.remove(job.id, { force: true });
  }
  const notes: string[] = [];
  for (const { name } of await engine.networks({ labels })) {
    // An empty network does no harm: the next prune tries again.
    if ((await engine.removeNetwork(name)) === 'kept') notes.push(stuckNetwork(name));
  }
  if (volumesToo) {
    for (const { name } of await engine.volumes({ labels })) await engine.removeVolume(name);
  }
  await context.forget();
  return success(notes.join('\n'));
}

async function removeContainers({ engine }: InstanceContext, containers: readonly ContainerFacts[]): Promise<void> {
  for (const container of containers.toReversed()) {
    await engine.stop(container.id, container.stopGraceMs);
    await engine.remove(container.id, { force: true });
  }
}

/** Actions that succeed without containers. */
const removals: readonly string[] = [builtIn.release, builtIn.clear, builtIn.remove];

/** Looks up the containers of the instance in start order and hands them to the handler. */
export async function runOnInstance(
  slug: string,
  handler: InstanceHandler,
  context: InstanceContext,
): Promise<ActionOutcome> {
  const order = new Map((context.manifest?.components ?? []).map((component, index) => [component.name, index]));
  const place = ({ labels }: ContainerFacts) => order.get(labels[label.component] ?? '') ?? order.size;
  const containers = (await containersOf(context.engine, context.uid)).sort((a, b) => place(a) - place(b));
  if (containers.length === 0 && !removals.includes(slug)) return failure('The instance has no container.');
  return handler(context, containers);
}
