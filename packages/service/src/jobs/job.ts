import type { Tx } from '../storage/storage.ts';

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly payload: unknown;
  /** Claims since it last went well, this one included. */
  readonly attempts: number;
}

/** How a run ends well: for good, or with another run at a time. */
export type Answer = 'done' | { readonly again: number };

/** Says that the run has been settled in a transaction of the handler's own. `complete` answers it. */
export type Settled = 'settled';

export interface JobRun {
  readonly job: Job;
  /** Fires when the worker stops or has lost its lease: what is not done by then, somebody else does. */
  readonly signal: AbortSignal;
  /**
   * Settles the run together with its effect, so that there is never one without the other. Throws, and so rolls the
   * effect back, when the lease has gone to somebody else.
   */
  complete(tx: Tx, answer?: Answer): Promise<Settled>;
}

/** May run more than once for one job, and on several replicas, unless it settles in its own transaction. */
export type JobHandler = (run: JobRun) => Promise<Answer | Settled>;

export interface JobKind {
  readonly run: JobHandler;
  /** How many run at once in this process. */
  readonly concurrency?: number;
  /** After this many claims that came to nothing it is set aside as a dead letter; Infinity never gives up. */
  readonly maxAttempts?: number;
  /** Milliseconds between the runs of a job that is always there. It is never set aside: the next time is a new chance. */
  readonly every?: number;
}

/** An error whose message is written for people and may be kept with the job: it must hold no secret. */
export class JobFailure extends Error {
  override name = 'JobFailure';
}

/** The job has been claimed by somebody else meanwhile, or settled already. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}
