import type { JobKind } from '../../../jobs/job.ts';
import { rowJob } from '../../../jobs/row-job.ts';
import { wakeOn } from '../../../jobs/wake.ts';
import { AccountTurns } from './account-turns.ts';
import { type CheckingDeps, check, dueAt } from './checking.ts';
import { FOLLOW_GARDEN } from './moving.ts';
import { advance, type StepDeps, settle } from './steps.ts';
import { gardensApplyingBy, lockSource, sourceOf } from './store.ts';

export type FollowDeps = CheckingDeps & StepDeps;

/** Until a run of the same garden has ended that is no run of a commit. */
const OTHER_RUN_MS = 15_000;
/** Until another repository of the account was read. */
const TURN_MS = 1_000;

/** Follows one garden: records the end of runs, reads the repository when it is due, and plans or applies its commit. */
export function followGardenJob(deps: FollowDeps): JobKind {
  const turns = new AccountTurns();
  return rowJob({
    storage: deps.storage,
    concurrency: 4,
    lock: lockSource,
    async prepare(id, signal) {
      const source = await sourceOf(deps.storage.reader, id);
      if (!source) return undefined;
      await settle(deps, id);
      const isDue = dueAt(source) <= Date.now();
      const isRead = !isDue || (await turns.take(source.account_id, () => check(deps, source, signal)));
      return { isRead, isDone: await advance(deps, id) };
    },
    async advance(tx, source, prepared) {
      if (!prepared) return undefined;
      if (!prepared.isRead) return tx.now + TURN_MS;
      return prepared.isDone ? dueAt(source) : tx.now + OTHER_RUN_MS;
    },
  });
}

/** Wakes the gardens whose commits are applied by runs that ended. */
export const wakeFollowed = wakeOn(FOLLOW_GARDEN, ['garden.applied', 'garden.failed'], gardensApplyingBy);
