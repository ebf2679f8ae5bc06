import type { Tx } from '../storage/storage.ts';

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly payload: unknown;
  /** Attempts since the last success, including this one. */
  readonly attempts: number;
}

/** Result of a successful run: done, or another run at a given time. */
export type RunResult = 'done' | { readonly again: number };

/** Returned if the handler settled the run in its own transaction with `complete`. */
export type Settled = 'settled';

export interface JobRun {
  readonly job: Job;
  /** Fires when the worker stops or has lost its lease: another worker then does the rest. */
  readonly signal: AbortSignal;
  /**
   * Settles the run atomically with its effect. Throws, and thereby rolls the effect back, if another worker has the
   * lease.
   */
  complete(tx: Tx, response?: RunResult): Promise<Settled>;
}

/** May run more than once for one job, and on several replicas, unless it settles in its own transaction. */
type JobHandler = (run: JobRun) => Promise<RunResult | Settled>;

export interface JobKind {
  readonly run: JobHandler;
  /** Maximum number of concurrent runs in this process. */
  readonly concurrency?: number;
  /** Number of failed attempts after which the job becomes a dead letter; Infinity never gives up. */
  readonly maxAttempts?: number;
  /**
   * Interval in milliseconds of a recurring job. It never becomes a dead letter, because the next run is a new chance.
   */
  readonly every?: number;
}

/** An error whose message is for people and may be stored with the job; must not contain secrets. */
export class JobFailure extends Error {
  override name = 'JobFailure';
}

/** Another worker has claimed the job meanwhile, or it is settled already. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}
