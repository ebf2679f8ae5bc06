import { Problem } from '../problem.ts';
import type { Outside, Queries, Tx } from './storage.ts';

/** Maximum number of pieces of outside work of one transaction. Each costs another run of its callback. */
const MAX_PIECES = 100;

/** Ends a run of a write callback that needs the result of this work. */
class WorkFirst extends Error {
  override name = 'WorkFirst';
  readonly key: string;
  readonly work: () => Promise<unknown>;
  constructor(key: string, work: () => Promise<unknown>) {
    super('A transaction needs the result of work outside of it.');
    this.key = key;
    this.work = work;
  }
}

/**
 * Runs a transaction that may need slow work, such as that of a worker thread. An open transaction holds locks (in
 * SQLite: the only writer), so it must not wait. Requesting such work rolls it back; then the work is done, and the
 * callback runs again with the result. The key must contain everything the work depends on: if the second run reads
 * changed data, its key differs and the work is repeated.
 */
export async function withOutside<T>(write: (outside: Outside) => Promise<T>): Promise<T> {
  let results: Map<string, unknown> | undefined;
  const outside: Outside = <R>(key: string, work: () => Promise<R>) => {
    if (results?.has(key)) return results.get(key) as R;
    throw new WorkFirst(key, work);
  };
  for (;;) {
    try {
      return await write(outside);
    } catch (error) {
      if (!(error instanceof WorkFirst)) throw error;
      results ??= new Map();
      if (results.size >= MAX_PIECES)
        throw new Problem('RATE_LIMITED', 'The data of this request keeps changing. Try again.', { retry_after: 1 });
      results.set(error.key, await error.work());
    }
  }
}

/** Does slow work: directly for a reader, otherwise outside of the transaction. */
export const doOutside = async <T>(queries: Queries | Tx, key: () => string, work: () => Promise<T>): Promise<T> =>
  'outside' in queries ? queries.outside(key(), work) : work();
