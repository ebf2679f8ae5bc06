import { type JobName, type Jobs, jobs } from '../jobs.ts';
import type { JobOwner, Work } from '../pool.ts';

/**
 * Runs jobs where they are asked for: for tests that are about something else than threads. The result comes in a later turn of
 * the loop, as that of a thread does, so that SQLite notices a transaction that waits for one.
 */
export const onThisThread: Work = {
  run: async <Name extends JobName>(name: Name, _: JobOwner, ...args: Parameters<Jobs[Name]>) => {
    await new Promise<void>((next) => setImmediate(next));
    return (jobs[name] as (...args: readonly unknown[]) => ReturnType<Jobs[Name]>)(...args);
  },
};
