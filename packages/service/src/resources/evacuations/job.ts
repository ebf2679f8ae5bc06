import type { JobKind } from '../../jobs/job.ts';
import { rowJob } from '../../jobs/row-job.ts';
import { wakeOn, waker } from '../../jobs/wake.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { auditEvacuation, evacuationLifecycle, evacuationMoveLifecycle } from './lifecycle.ts';
import { beginMove } from './moving.ts';
import type { EvacuationResources } from './resources.ts';
import { type EvacuationRow, evacuationsWaitingFor, lockEvacuationById, type MoveRow, movesOf } from './store.ts';

/** One job per evacuation, until it has ended. */
export const EVACUATE = 'evacuation.step';

/** Fallback poll interval; normally the end of a migration wakes the job. */
const POLL_MS = 5_000;

export interface EvacuationJobDeps {
  readonly storage: Storage;
  readonly resources: EvacuationResources;
}

/**
 * Begins as many moves as allowed and records those that have ended. Each move begins in one transaction with its
 * migration, so that a killed service neither forgets nor repeats one.
 */
export const evacuationJob = (deps: EvacuationJobDeps): JobKind =>
  rowJob({
    storage: deps.storage,
    concurrency: 4,
    lock: lockEvacuationById,
    isOver: ({ finished_at }) => finished_at !== null,
    async prepare(id, signal) {
      for (;;) {
        const next = await deps.storage.write((tx) => settle(tx, deps.resources, id));
        if (!next || signal.aborted) return;
        await beginMove(deps, next.evacuation, next.move);
      }
    },
    advance: async (tx) => tx.now + POLL_MS,
  });

export const wakeEvacuation = waker(EVACUATE);

/** Wakes the evacuations whose migrations have switched or failed. */
export const wakeEvacuations = wakeOn(
  EVACUATE,
  ['audit.migration_switched', 'audit.migration_failed'],
  evacuationsWaitingFor,
);

interface NextMove {
  readonly evacuation: EvacuationRow;
  readonly move: MoveRow;
}

/** Records what has ended, also of the evacuation itself. Returns the move to begin next, if one may begin now. */
async function settle(tx: Tx, resources: EvacuationResources, id: string): Promise<NextMove | undefined> {
  const evacuation = await lockEvacuationById(tx, id);
  if (!evacuation || evacuation.finished_at !== null) return undefined;
  const moves: MoveRow[] = [];
  for (const move of await movesOf(tx, id)) moves.push(await settleMove(tx, resources, move));
  const moving = moves.filter(({ status }) => status === 'moving').length;
  const [next] = moves.filter(({ status }) => status === 'pending');
  if (evacuation.status === 'running' && next && moving < evacuation.at_once) return { evacuation, move: next };
  if (moving > 0 || (evacuation.status === 'running' && next)) return undefined;
  const ending = moves.some(({ status }) => status === 'stuck') ? 'give_up' : 'complete';
  const ended = await transition(
    tx,
    evacuationLifecycle,
    evacuation,
    evacuation.status === 'running' ? ending : 'stop',
    {
      actor: evacuation.created_by,
      set: { finished_at: tx.now },
    },
  );
  await auditEvacuation(tx, ended, evacuation.created_by);
  return undefined;
}

async function settleMove(tx: Tx, resources: EvacuationResources, move: MoveRow): Promise<MoveRow> {
  if (move.status !== 'moving' || move.migration_id === null) return move;
  const migration = await resources.migration(tx, move.account_id, move.migration_id);
  const finished_at = tx.now;
  if (!migration || migration.status === 'failed') {
    const error = migration?.error ?? 'The migration no longer exists.';
    return transition(tx, evacuationMoveLifecycle, move, 'fail', { actor: null, set: { error, finished_at } });
  }
  // From here on it runs on the target; its data on the source is removed by the migration itself.
  if (migration.status !== 'switched' && migration.status !== 'completed') return move;
  const { downtime_ms } = migration;
  return transition(tx, evacuationMoveLifecycle, move, 'finish', { actor: null, set: { downtime_ms, finished_at } });
}
