import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import type { EventSubscriber } from '../../outbox/dispatcher.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { auditEvacuation, evacuationLifecycle, evacuationMoveLifecycle } from './lifecycle.ts';
import { beginMove } from './moving.ts';
import type { EvacuationResources } from './resources.ts';
import { type EvacuationRow, evacuationsWaitingFor, lockEvacuationById, type MoveRow, movesOf } from './store.ts';

/** One job per evacuation, until it has ended. */
export const EVACUATE = 'evacuation.step';

/** Fallback; normally the end of a migration wakes the job. */
const LOOK_AGAIN_MS = 5_000;

export interface EvacuationJobDeps {
  readonly storage: Storage;
  readonly resources: EvacuationResources;
}

/**
 * Begins as many moves as allowed and records those that have ended. Each move begins in one transaction with its
 * migration, so that a killed service neither forgets nor repeats one.
 */
export const evacuationJob = (deps: EvacuationJobDeps): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  concurrency: 4,
  run: async ({ job, signal, complete }) => {
    const { evacuation_id: id } = job.payload as { evacuation_id: string };
    for (;;) {
      const next = await deps.storage.write((tx) => settle(tx, deps.resources, id));
      if (next === 'over') return 'done';
      if (next === 'wait' || signal.aborted)
        return await deps.storage.write((tx) => complete(tx, { again: tx.now + LOOK_AGAIN_MS }));
      await beginMove(deps, next.evacuation, next.move);
    }
  },
});

export const wakeEvacuation = (tx: Tx, id: string): Promise<void> =>
  enqueue(tx, { kind: EVACUATE, key: id, payload: { evacuation_id: id } });

/** Wakes the evacuations whose migrations have switched or failed. */
export const wakeEvacuations: EventSubscriber = async (tx, events) => {
  const ids = events.flatMap(({ type, resource_id }) =>
    type === 'audit.migration_switched' || type === 'audit.migration_failed' ? [resource_id] : [],
  );
  if (ids.length === 0) return;
  for (const id of await evacuationsWaitingFor(tx, ids)) await wakeEvacuation(tx, id);
};

interface NextMove {
  readonly evacuation: EvacuationRow;
  readonly move: MoveRow;
}

/** Records what has ended, and finds what begins next. */
async function settle(tx: Tx, resources: EvacuationResources, id: string): Promise<'over' | 'wait' | NextMove> {
  const evacuation = await lockEvacuationById(tx, id);
  if (!evacuation || evacuation.finished_at !== null) return 'over';
  const moves: MoveRow[] = [];
  for (const move of await movesOf(tx, id)) moves.push(await settleMove(tx, resources, move));
  const moving = moves.filter(({ status }) => status === 'moving').length;
  const [next] = moves.filter(({ status }) => status === 'pending');
  if (evacuation.status === 'running' && next && moving < evacuation.at_once) return { evacuation, move: next };
  if (moving > 0 || (evacuation.status === 'running' && next)) return 'wait';
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
  return 'over';
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
