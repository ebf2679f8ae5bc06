import { newId } from '../ids.ts';
import type { Tx } from '../storage/storage.ts';
import { insertJob, insertJobIfMissing } from './store.ts';

/** Notice with the kind after a commit that enqueued a job: workers must check the next due time again. */
export const JOBS_TOPIC = 'jobs';

export interface NewJob {
  readonly kind: string;
  /**
   * At most one unfinished job of a kind has a given key. Enqueueing again keeps the existing job with its payload and
   * runs it at the earlier of both times; a running job runs once more afterwards.
   */
  readonly key?: string;
  readonly payload: unknown;
  /** Milliseconds since 1970; defaults to now. */
  readonly runAt?: number;
}

/** Enqueues a job that runs if and only if this transaction commits. */
export async function enqueue(tx: Tx, job: NewJob): Promise<void> {
  await insertJob(tx, rowOf(tx, job));
  tx.notify(JOBS_TOPIC, job.kind);
}

/** The same, but a job that exists already keeps its time. */
export async function enqueueIfMissing(tx: Tx, job: NewJob & { readonly key: string }): Promise<void> {
  await insertJobIfMissing(tx, rowOf(tx, job));
  tx.notify(JOBS_TOPIC, job.kind);
}

const rowOf = (tx: Tx, job: NewJob) => ({
  id: newId('job'),
  kind: job.kind,
  key: job.key ?? null,
  payload: JSON.stringify(job.payload ?? null),
  run_at: job.runAt ?? tx.now,
  created_at: tx.now,
});
