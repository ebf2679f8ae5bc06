import type { Queries } from '../storage/storage.ts';
import { countDue, nextOfKinds } from './store.ts';

export interface QueueDepth {
  /** Jobs that are due and wait for a worker, by kind; every kind has an entry. */
  readonly due: ReadonlyMap<string, number>;
  /** Those of them that have waited for more than a minute. */
  readonly late: ReadonlyMap<string, number>;
}

/** A larger number tells an operator nothing more. */
const MAX = 10_000;
const LATE_MS = 60_000;

/** Counts waiting jobs. One index lookup for each kind without due jobs. */
export async function queueDepth(queries: Queries, kinds: readonly string[], now: number): Promise<QueueDepth> {
  const none = () => new Map(kinds.map((kind) => [kind, 0]));
  const [due, late] = [none(), none()];
  for (const { kind, run_at } of await nextOfKinds(queries, kinds)) {
    if (run_at <= now) due.set(kind, await countDue(queries, kind, now, MAX));
    if (run_at <= now - LATE_MS) late.set(kind, await countDue(queries, kind, now - LATE_MS, MAX));
  }
  return { due, late };
}
