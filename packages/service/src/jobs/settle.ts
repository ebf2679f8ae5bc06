import { type BackoffTimes, backoffMs } from '@hortus/contract/runtime/backoff';
import { Problem } from '../problem.ts';
import type { Tx } from '../storage/storage.ts';
import { JobFailure, type JobKind, LeaseLost, type RunResult } from './job.ts';
import { deleteJob, freeJob, type JobRow, lockOwned } from './store.ts';

export interface Lease {
  readonly id: string;
  /** Unique for every claim, so that a late worker cannot settle the run of another, or a later run of its own. */
  readonly owner: string;
}

export const standardAttempts = 10;
const retries: BackoffTimes = { firstMs: 1_000, maxMs: 3_600_000 };

/** Settles a successful run. */
export async function succeed(tx: Tx, lease: Lease, kind: JobKind, response: RunResult): Promise<void> {
  const job = await held(tx, lease);
  const next = response === 'done' ? recurrence(tx, kind) : response.again;
  const runAt = earlier(next, job.again_at);
  if (runAt === null) await deleteJob(tx, { id: job.id });
  else await freeJob(tx, { id: job.id, run_at: runAt, attempts: 0, last_error: null, dead: 0 });
}

/**
 * Settles a failed run: schedules a retry, or makes it a dead letter after the last attempt. Returns whether it is
 * dead.
 */
export async function fail(tx: Tx, lease: Lease, kind: JobKind, error: unknown): Promise<boolean> {
  const job = await held(tx, lease);
  const last_error = describe(error);
  if (job.attempts < (kind.maxAttempts ?? standardAttempts)) {
    const run_at = tx.now + backoffMs(job.attempts, retries);
    await freeJob(tx, { id: job.id, run_at, attempts: job.attempts, last_error, dead: 0 });
    return false;
  }
  // It was enqueued again, or recurs: that run gets its own attempts.
  const next = earlier(recurrence(tx, kind), job.again_at);
  const dead = next === null ? 1 : 0;
  const attempts = dead ? job.attempts : 0;
  await freeJob(tx, { id: job.id, run_at: next ?? job.run_at, attempts, last_error, dead });
  return dead === 1;
}

/** Releases a run that was interrupted through no fault of its own. */
export async function release(tx: Tx, lease: Lease): Promise<void> {
  const job = await held(tx, lease);
  const attempts = Math.max(0, job.attempts - 1);
  await freeJob(tx, { id: job.id, run_at: tx.now, attempts, last_error: job.last_error, dead: 0 });
}

async function held(tx: Tx, lease: Lease): Promise<JobRow> {
  const job = await lockOwned(tx, lease.id, lease.owner);
  if (!job) throw new LeaseLost('The lease of the job was lost.');
  return job;
}

const recurrence = (tx: Tx, kind: JobKind): number | null => (kind.every === undefined ? null : tx.now + kind.every);

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** The message of an unknown error may contain a password from a URL, so only its name and code are stored. */
function describe(error: unknown): string {
  if (error instanceof JobFailure || error instanceof Problem) return error.message.slice(0, 500);
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return (
    [name, code]
      .filter((word) => typeof word === 'string')
      .join(' ')
      .slice(0, 100) || 'unknown error'
  );
}
