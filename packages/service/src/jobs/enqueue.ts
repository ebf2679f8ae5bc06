import { newId } from '../ids.ts';
import type { Tx } from '../storage/storage.ts';
import { insertJob } from './store.ts';

/** Told after a commit that enqueued, with the kind: the workers have to look at the clock again. */
export const JOBS_TOPIC = 'jobs';

export interface NewJob {
  readonly kind: string;
  /**
   * At most one unfinished job of a kind has a given key. Enqueueing it again keeps the one that is there with its
   * payload and lets it run at the earlier of both times; one that is running runs once more afterwards.
   */
  readonly key?: string;
  readonly payload: unknown;
  /** Milliseconds since 1970; now when it is left out. */
  readonly runAt?: number;
}

/** Puts down work that happens if and only if this transaction commits. */
export async function enqueue(tx: Tx, job: NewJob): Promise<void> {
  await insertJob(tx, {
    id: newId('job'),
    kind: job.kind,
    key: job.key ?? null,
    payload: JSON.stringify(job.payload ?? null),
    run_at: job.runAt ?? tx.now,
    created_at: tx.now,
  });
  tx.notify(JOBS_TOPIC, job.kind);
}
