import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { label } from '../plan/labels.ts';

/** Label that the engine puts on containers of tasks: the id of their service. */
export const SERVICE = 'com.docker.swarm.service.id';

/**
 * Removes ended containers of an instance on a node, whose services are gone. Docker 20.10 removes those of running tasks with their
 * service, but leaves those of completed jobs, which keep their volumes from being removed.
 */
export async function removeLeftoverTasks(
  engine: Pick<Engine, 'containers' | 'remove'>,
  cluster: Pick<Cluster, 'services'>,
  uid: string,
): Promise<void> {
  const found = await engine.containers({ labels: { [label.instance]: uid, [SERVICE]: true } });
  const ended = found.filter(({ state }) => state === 'exited' || state === 'dead');
  if (ended.length === 0) return;
  const services = new Set((await cluster.services({ labels: { [label.instance]: uid } })).map(({ id }) => id));
  for (const { id, labels } of ended)
    if (!services.has(labels[SERVICE] ?? '')) await engine.remove(id, { force: true }).catch(unlessRemoving);
}

/** The engine may be about to remove it too. */
function unlessRemoving(error: unknown): void {
  if (!isEngineProblem(error, 'not_found') && !isEngineProblem(error, 'conflict')) throw error;
}
