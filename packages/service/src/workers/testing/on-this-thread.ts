import type { Work } from '../job.ts';

/**
 * Runs jobs on the calling thread, for tests that are not about threads. The result comes in a later turn of the event loop, as
 * that of a thread does, so that SQLite notices a transaction that waits for one.
 */
export const onThisThread: Work = {
  run: async ({ run }, _, ...args) => {
    await new Promise<void>((next) => setImmediate(next));
    return run(...args) as ReturnType<typeof run>;
  },
};
