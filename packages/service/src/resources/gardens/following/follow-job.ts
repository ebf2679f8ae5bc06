import type { JobKind } from '../../../jobs/job.ts';
import type { EventSubscriber } from '../../../outbox/dispatcher.ts';
import { AccountTurns } from './account-turns.ts';
import { type CheckingDeps, check, dueAt } from './checking.ts';
import { enqueueFollowing } from './moving.ts';
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
  return {
    concurrency: 4,
    maxAttempts: Number.POSITIVE_INFINITY,
    run: async ({ job, signal, complete }) => {
      const { storage } = deps;
      const { garden_id: id } = job.payload as { garden_id: string };
      const source = await sourceOf(storage.reader, id);
      if (!source) return 'done';
      await settle(deps, id);
      const isDue = dueAt(source) <= Date.now();
      const isRead = !isDue || (await turns.take(source.account_id, () => check(deps, source, signal)));
      const isDone = await advance(deps, id);
      return await storage.write(async (tx) => {
        const left = await lockSource(tx, id);
        if (!left) return await complete(tx, 'done');
        const next = isDone ? dueAt(left) : tx.now + OTHER_RUN_MS;
        return await complete(tx, { again: isRead ? next : tx.now + TURN_MS });
      });
    },
  };
}

const ends: ReadonlySet<string> = new Set(['garden.applied', 'garden.failed']);

/** Wakes the gardens whose commits are applied by runs that ended. */
export const wakeFollowed: EventSubscriber = async (tx, events) => {
  const runs = events.filter(({ type }) => ends.has(type)).map(({ resource_id }) => resource_id);
  if (runs.length === 0) return;
  for (const { garden_id } of await gardensApplyingBy(tx, runs)) await enqueueFollowing(tx, garden_id);
};
