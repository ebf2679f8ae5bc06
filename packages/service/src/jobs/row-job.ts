import { Problem } from '../problem.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { JobKind } from './job.ts';

/** Fallback poll interval; normally the end of the awaited work wakes the job (`wake.ts`). */
export const POLL_MS = 600_000;

/** Time of the next step in milliseconds since 1970; undefined when the row needs no further one. */
export type NextStep = number | undefined;

export interface RowJob<Row, Prepared = undefined> extends Pick<JobKind, 'concurrency'> {
  readonly storage: Storage;
  /** Locks the row by the key of its job. A row that is gone ends the job. */
  readonly lock: (tx: Tx, id: string) => Promise<Row | undefined>;
  /** Whether nothing is left to do for the row. */
  readonly isOver?: (row: Row) => boolean;
  /**
   * Does before the transaction what is slow or has transactions of its own. Repeated after a crash, and called for
   * rows that are over or gone.
   */
  readonly prepare?: (id: string, signal: AbortSignal) => Promise<Prepared>;
  /** Advances the row by one step, in one transaction with the end of the run: a kill at any time loses only that run. */
  readonly advance: (tx: Tx, row: Row, prepared: Prepared) => Promise<NextStep>;
  /**
   * Ends the row after a Problem, such as missing capacity, which a retry would not solve. What the step wrote is rolled
   * back. Throws the Problem to have it retried with backoff, as all other errors are.
   */
  readonly fail?: (tx: Tx, row: Row, problem: Problem) => Promise<NextStep>;
}

/** Defines a job that advances one row until the row is over. Never gives up: the row alone decides when it ends. */
export const rowJob = <Row, Prepared = undefined>(kind: RowJob<Row, Prepared>): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  ...(kind.concurrency !== undefined && { concurrency: kind.concurrency }),
  run: async ({ job, signal, complete }) => {
    const id = job.key ?? '';
    const step = (move: (tx: Tx, row: Row) => Promise<NextStep>) =>
      kind.storage.write(async (tx) => {
        const row = await kind.lock(tx, id);
        const next = row === undefined || kind.isOver?.(row) ? undefined : await move(tx, row);
        return complete(tx, next === undefined ? 'done' : { again: next });
      });
    try {
      const prepared = (await kind.prepare?.(id, signal)) as Prepared;
      return await step((tx, row) => kind.advance(tx, row, prepared));
    } catch (error) {
      const { fail } = kind;
      if (!fail || !(error instanceof Problem)) throw error;
      return await step((tx, row) => fail(tx, row, error));
    }
  },
});
