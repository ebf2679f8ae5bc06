import { setTimeout as sleep } from 'node:timers/promises';
import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { InstanceContext, InstanceHandler } from '../actions/handlers.ts';
import type { Cluster, ServiceFacts } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { failure, success } from '../journal/action.ts';
import { label } from '../plan/labels.ts';
import { converge } from './convergence.ts';
import { currentTasks, endedByItself } from './current-tasks.ts';
import { REPLICAS } from './desired-services.ts';
import type { ViewOf } from './instance-views.ts';
import { removeRelays } from './relay-removal.ts';
import { POLL_EVERY_MS, TIMEOUT_MS, tasksEnded } from './tasks-ended.ts';

type Handlers = Readonly<Record<string, InstanceHandler>>;

/** The built-in actions on instances of a Swarm, in place of those on containers. Each is idempotent. */
export function swarmLifecycle(cluster: Cluster, viewOf: ViewOf): Handlers {
  const inOrder = async ({ uid, manifest }: InstanceContext): Promise<ServiceFacts[]> => {
    const order = new Map((manifest?.components ?? []).map(({ name }, index) => [name, index]));
    const place = ({ labels }: ServiceFacts) => order.get(labels[label.component] ?? '') ?? order.size;
    const found = await cluster.services({ labels: { [label.managed]: 'true', [label.instance]: uid } });
    return found.sort((a, b) => place(a) - place(b));
  };
  const lasting = async (context: InstanceContext) =>
    (await inOrder(context)).filter(({ kind }) => kind === 'replicated');
  /** Relays go first: they are on the network of the instance, and their tasks carry its label. */
  const removeServices = async (context: InstanceContext) => {
    const labels = { [label.instance]: context.uid };
    await removeRelays(cluster, labels);
    for (const { id } of (await inOrder(context)).reverse()) await cluster.removeService(id);
    await tasksEnded(cluster, { labels }, timeout(context));
  };
  const removeAll = async (context: InstanceContext, volumesToo: boolean) => {
    const volumes = volumesToo ? await engineOfVolumes(viewOf, context.uid) : undefined;
    if (volumes !== undefined && 'refused' in volumes) return failure(volumes.refused);
    // First, because a leadership may end at any step: without services, only the routes would keep their addresses taken.
    await context.unroute();
    await removeServices(context);
    await removeRest(cluster, context, volumes?.engine);
    await context.forget();
    return success();
  };
  return {
    [builtIn.start]: async (context) => {
      for (const service of await lasting(context)) {
        const replicas = Number(service.labels[REPLICAS] ?? 1);
        if (service.replicas !== replicas) await cluster.scaleService(service.id, replicas);
        else if (await hasEnded(cluster, service)) await cluster.restartService(service.id);
        await running(cluster, service, replicas, false);
      }
      return success();
    },
    [builtIn.stop]: async (context) => {
      for (const { id, replicas } of (await lasting(context)).reverse()) {
        if (replicas > 0) await cluster.scaleService(id, 0);
        await tasksEnded(cluster, { service: id }, timeout(context));
      }
      return success();
    },
    [builtIn.restart]: async (context) => {
      for (const service of await lasting(context)) {
        const replicas = Number(service.labels[REPLICAS] ?? 1);
        const isStopped = service.replicas === 0;
        if (isStopped) await cluster.scaleService(service.id, replicas);
        else await cluster.restartService(service.id);
        await running(cluster, service, replicas, !isStopped);
      }
      return success();
    },
    [builtIn.release]: async (context) => {
      const unnamed = unnamedVolumes(context);
      if (unnamed.length > 0)
        return failure(`Critical volumes are removed only if confirm names them: ${unnamed.join(', ')}.`);
      return await removeAll(context, context.params.remove_volumes === true);
    },
    [builtIn.remove]: async (context) => {
      await removeServices(context);
      return success();
    },
    [builtIn.clear]: async (context) => {
      await context.abandon();
      return await removeAll(context, true);
    },
  };
}

/** Whether a task ended by itself and the Swarm does not replace it. */
const hasEnded = async (cluster: Cluster, service: ServiceFacts): Promise<boolean> =>
  currentTasks(service, await cluster.tasks({ service: service.id })).some(endedByItself);

const timeout = ({ manifest }: InstanceContext): number =>
  TIMEOUT_MS + Math.max(0, ...(manifest?.components ?? []).map((component) => component.stop_grace_period_ms));

function unnamedVolumes({ manifest, params }: InstanceContext): string[] {
  if (params.remove_volumes !== true) return [];
  const confirmed = Array.isArray(params.confirm) ? params.confirm : [];
  const storage = (manifest?.components ?? []).flatMap((component) => component.storage);
  const unnamed = storage.filter(({ name, critical, volume }) => critical && volume && !confirmed.includes(name));
  return [...new Set(unnamed.map(({ name }) => name))];
}

async function running(cluster: Cluster, service: ServiceFacts, replicas: number, isUpdate: boolean): Promise<void> {
  const nodes = await cluster.nodes();
  await converge({
    cluster,
    service: service.id,
    component: service.labels[label.component] ?? service.name,
    config: service.labels[label.config] ?? '',
    replicas,
    isUpdate,
    hasHistory: true,
    // Equal tasks replace each other, so only the Swarm knows when all of them are new.
    untilCompleted: isUpdate,
    hasCheck: true,
    nodeName: (id) => nodes.find((node) => node.id === id)?.name ?? id,
    say: () => undefined,
    progress: () => undefined,
    signal: AbortSignal.timeout(TIMEOUT_MS * Math.max(1, replicas)),
  });
}

/** Reached before anything is removed, because without it the volumes would be left behind. */
async function engineOfVolumes(viewOf: ViewOf, uid: string): Promise<{ engine: Engine } | { refused: string }> {
  try {
    return { engine: (await viewOf(uid)).engine };
  } catch (error) {
    const advice = 'Release without remove_volumes, and remove them on that node.';
    return { refused: `The node of the volumes cannot be reached: ${(error as Error).message}. ${advice}` };
  }
}

/** Removes files, network and, if asked for, volumes. Containers of ended tasks still use volumes, so they go first. */
async function removeRest(cluster: Cluster, { engine, uid }: InstanceContext, volumes?: Engine): Promise<void> {
  const labels = { [label.managed]: 'true', [label.instance]: uid };
  for (const { id } of await cluster.contents('secrets', { labels })) await cluster.removeContent('secrets', id);
  for (const { id } of await engine.containers({ labels })) await engine.remove(id, { force: true });
  for (const { name } of await engine.networks({ labels })) await engine.removeNetwork(name);
  if (volumes === undefined) return;
  for (const { name } of await volumes.volumes({ labels })) await removedVolume(volumes, name);
}

/** The engine removes the containers of a service shortly after its tasks; until then their volume is in use. */
async function removedVolume(engine: Engine, name: string): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      await engine.removeVolume(name);
      return;
    } catch (error) {
      if (!isEngineProblem(error, 'conflict') || performance.now() > end) throw error;
      await sleep(POLL_EVERY_MS);
    }
  }
}
