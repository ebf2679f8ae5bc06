import type { JobKind } from '../../jobs/job.ts';
import type { Shells } from './service.ts';

export const UNSEEN_SHELLS = 'shells.unseen';

/** Ends the records of sessions whose replica was killed. */
export const unseenShellsJob = (shells: Pick<Shells, 'endUnseen'>): JobKind => ({
  concurrency: 1,
  every: 600_000,
  async run() {
    await shells.endUnseen(Date.now());
    return 'done';
  },
});
