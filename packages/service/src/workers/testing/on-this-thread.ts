import type { Work } from '../job.ts';

/**
 * Runs jobs on the calling thread, for tests that do not concern threads. The result comes in a later turn of the event
 * loop, as with a thread, so that SQLite notices a transaction that waits for one.
 */
export const onThisThread: Work = {
  run: async ({ run }, _, ...args) => {
    await new Promise<void>((next) => setImmediate(next));
    // Its type depends on the job, which the compiler cannot follow here.
    return (await run(...args)) as never;
  },
};
