import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../engine/cluster.ts';

/** Time for tasks to start or end; the stop grace period comes on top. */
export const TIMEOUT_MS = 120_000;
export const POLL_EVERY_MS = 200;
const ENDED: readonly string[] = ['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned'];

/** Waits until no task runs; those of removed services disappear from the list. Tasks of lost nodes are not waited for. */
export async function tasksEnded(
  cluster: Cluster,
  filter: Parameters<Cluster['tasks']>[0],
  withinMs: number,
): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    const [tasks, nodes] = await Promise.all([cluster.tasks(filter), cluster.nodes()]);
    const ready = new Set(nodes.filter(({ state }) => state === 'ready').map(({ id }) => id));
    if (!tasks.some(({ state, node }) => !ENDED.includes(state) && (node === '' || ready.has(node)))) return;
    if (performance.now() > end) throw new Error(`Tasks were still running after ${Math.round(withinMs / 1_000)} s`);
    await sleep(POLL_EVERY_MS);
  }
}
