import { newId } from '../records/ids.ts';
import type { Tx } from '../storage/storage.ts';
import { insertJob, insertJobIfMissing } from './store.ts';

/** Notice with the kind after a commit that enqueued a job that is due soon: workers must check the next due time again. */
export const JOBS_TOPIC = 'jobs';

/** Workers look at all kinds at least this often, so a job that is due later needs no notice. */
export const SWEEP_MS = 5_000;

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
  announce(tx, job);
}

/** The same, but a job that exists already keeps its time. */
export async function enqueueIfMissing(tx: Tx, job: NewJob & { readonly key: string }): Promise<void> {
  await insertJobIfMissing(tx, rowOf(tx, job));
  announce(tx, job);
}

function announce(tx: Tx, { kind, runAt = tx.now }: NewJob): void {
  if (runAt < tx.now + SWEEP_MS) tx.notify(JOBS_TOPIC, kind);
}

const rowOf = (tx: Tx, job: NewJob) => ({
  id: newId('job'),
  kind: job.kind,
  key: job.key ?? null,
  payload: JSON.stringify(job.payload ?? null),
  run_at: job.runAt ?? tx.now,
  created_at: tx.now,
});
