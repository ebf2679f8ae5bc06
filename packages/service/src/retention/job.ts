import type { JobKind } from '../jobs/job.ts';
import type { Log } from '../process/log.ts';
import type { Storage } from '../storage/storage.ts';
import { inBatches } from './batches.ts';
import type { Rule } from './removal.ts';

export const RETENTION = 'retention.sweep';

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
const MAX_IN_BATCH = 500;

export interface RetentionDeps {
  readonly storage: Storage;
  readonly rules: readonly Rule[];
  readonly log: Pick<Log, 'info'>;
  readonly clock?: () => number;
  /** Most rows of a batch. */
  readonly batch?: number;
}

/** Removes expired rows in small transactions; an interrupted run continues in the next hour. */
export const retentionJob = (deps: RetentionDeps): JobKind => ({
  concurrency: 1,
  every: EVERY_MS,
  async run({ signal }) {
    await sweep(deps, signal);
    return 'done';
  },
});

/** Returns the number of removed rows by rule. */
export async function sweep(deps: RetentionDeps, signal?: AbortSignal): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const rule of deps.rules) {
    const total = await apply(deps, rule, signal);
    if (total > 0) removed[rule.name] = total;
  }
  if (Object.keys(removed).length > 0) deps.log.info({ removed }, 'expired rows removed');
  return removed;
}

async function apply({ storage, clock, batch }: RetentionDeps, { days, remove }: Rule, signal?: AbortSignal) {
  if (days === undefined) return 0;
  const before = (clock ?? Date.now)() - days * DAY_MS;
  // Leaves others at least half of the time.
  return inBatches({ storage, max: batch ?? MAX_IN_BATCH, rest: 1, signal }, (tx, rows) => remove(tx, before, rows));
}
