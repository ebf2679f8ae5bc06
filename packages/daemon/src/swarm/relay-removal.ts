import type { Cluster } from '../engine/cluster.ts';
import type { LabelFilter } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';
import { tasksEnded } from './tasks-ended.ts';

/** Time for removed relays to end. */
const END_MS = 30_000;

/**
 * Removes the relays to tasks with these labels, also those of other members, and waits for their end: a network with a relay
 * cannot be removed. Idempotent. Secrets do not wait, so that a relay that does not end leaves none.
 */
export async function removeRelays(cluster: Cluster, labels: LabelFilter): Promise<void> {
  const relays = { labels: { [label.taskRelay]: true, ...labels } } as const;
  for (const { id } of await cluster.services(relays)) await cluster.removeService(id);
  for (const { id } of await cluster.contents('secrets', relays)) await cluster.removeContent('secrets', id);
  await tasksEnded(cluster, relays, END_MS);
}
