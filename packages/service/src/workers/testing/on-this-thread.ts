import { type JobName, type Jobs, jobs } from '../jobs.ts';
import type { JobOwner, Work } from '../pool.ts';

/** Runs jobs where they are asked for: for tests that are about something else than threads. */
export const onThisThread: Work = {
  run: async <Name extends JobName>(name: Name, _: JobOwner, ...args: Parameters<Jobs[Name]>) =>
    (jobs[name] as (...args: readonly unknown[]) => ReturnType<Jobs[Name]>)(...args),
};
