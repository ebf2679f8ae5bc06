import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import type { EventSubscriber } from '../../outbox/dispatcher.ts';
import { endedIn } from '../../outbox/ended.ts';
import { Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { REHEARSE } from './lifecycle.ts';
import { advance, conclude, type ProgressDeps } from './progress.ts';
import { lockRehearsalById, type RehearsalRow, rehearsalsWaitingFor } from './store.ts';

/**
 * Runs a rehearsal, one step per transaction, so that it can be interrupted anywhere: the row records its progress.
 * The job is done only when nothing of the copy is left on the server.
 */
export const rehearsalJob = (storage: Storage, deps: ProgressDeps): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ job, complete }) => {
    const { rehearsal_id: id } = job.payload as { rehearsal_id: string };
    const run = (step: (tx: Tx, row: RehearsalRow) => Promise<number | undefined>) =>
      storage.write(async (tx) => {
        const row = await lockRehearsalById(tx, id);
        const wait = row && row.cleared_at === null ? await step(tx, row) : undefined;
        return complete(tx, wait === undefined ? 'done' : { again: tx.now + wait });
      });
    try {
      return await run((tx, row) => advance(deps, tx, row));
    } catch (error) {
      // A Problem, such as missing capacity or a deleted backup, is permanent: fail instead of retrying.
      if (!(error instanceof Problem)) throw error;
      const { message } = error;
      return await run(async (tx, row) => {
        if (row.finished_at !== null) throw error;
        return conclude(deps, tx, row, { reason: 'refused', error: message });
      });
    }
  },
});

export const wakeRehearsal = (tx: Tx, id: string): Promise<void> =>
  enqueue(tx, { kind: REHEARSE, key: id, payload: { rehearsal_id: id } });

/** Wakes the rehearsals that wait for the deployments and executions that ended. */
export const wakeRehearsals: EventSubscriber = async (tx, events) => {
  const ended = await endedIn(tx, events);
  if (ended.length === 0) return;
  for (const { id } of await rehearsalsWaitingFor(tx, ended)) await wakeRehearsal(tx, id);
};
