import type { JobKind } from '../../jobs/job.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { goBack, turnBack } from './back.ts';
import { forwardSteps, TurnBack } from './forward.ts';
import { type Held, hold } from './parts.ts';
import type { MigrationResources } from './resources.ts';
import { type MigrationRow, migrationById } from './store.ts';

/**
 * Fallback poll; normally the end of the awaited work triggers the job. The report of an instance does not, although a late
 * one can contradict the end of its stop for a moment.
 */
const LOOK_AGAIN_MS = 5_000;
/** While the instance is stopped, every second is downtime. */
const LOOK_AGAIN_SOON_MS = 1_000;

/** Longest time without progress per state: generous while the instance runs, short while it is stopped. */
const patience: Partial<Record<MigrationRow['status'], number>> = {
  copying: 30 * 60_000,
  stopping: 6 * 60_000,
  moving: 2 * 60_000,
};
/** The deadline of a deployment pauses while its server is offline; a migration does not wait for that. */
const TARGET_AWAY_MS = 60_000;

export interface MigrationJobDeps {
  readonly storage: Storage;
  readonly resources: MigrationResources;
}

/** Advances a migration by one step, or finds that it has to wait. */
export const migrationJob = (deps: MigrationJobDeps): JobKind => ({
  // Only the database is needed, so a failure is temporary; retry, because instances may be stopped meanwhile.
  maxAttempts: Number.POSITIVE_INFINITY,
  concurrency: 8,
  run: async ({ job, complete }) => {
    const { migration_id: id } = job.payload as { migration_id: string };
    try {
      return await deps.storage.write(async (tx) => complete(tx, await advance(tx, deps.resources, id)));
    } catch (error) {
      if (!(error instanceof TurnBack)) throw error;
      // The failed step was rolled back with its orders; abort in a separate transaction.
      return await deps.storage.write(async (tx) => {
        const held = await hold(tx, deps.resources, id);
        const { reason, message } = error;
        if (held && held.row.status in forwardSteps && held.row.status !== 'switched')
          await turnBack(tx, deps.resources, held, { reason, error: message, actor: null });
        return await complete(tx, { again: tx.now });
      });
    }
  },
});

/** Advances as many steps as possible. */
async function advance(tx: Tx, resources: MigrationResources, id: string): Promise<'done' | { again: number }> {
  for (;;) {
    const held = await hold(tx, resources, id);
    if (!held || isOver(held.row)) return 'done';
    const { status } = held.row;
    if (status === 'returning') await goBack(tx, resources, held);
    else {
      await requireProgress(tx, resources, held);
      await forwardSteps[status]?.(tx, resources, held);
    }
    const after = await migrationById(tx, id);
    if (!after || isOver(after)) return 'done';
    if (after.status === status) return { again: nextLook(after, tx.now) };
  }
}

const isOver = ({ status }: MigrationRow): boolean => status === 'completed' || status === 'failed';

function nextLook({ status, progress_at, release_at }: MigrationRow, now: number): number {
  if (status === 'switched' && release_at !== null && now < release_at) return release_at;
  const next = now + (status === 'returning' || status === 'stopping' ? LOOK_AGAIN_SOON_MS : LOOK_AGAIN_MS);
  const limit = patience[status];
  return limit === undefined ? next : Math.min(next, Math.max(now, progress_at + limit + 1));
}

async function requireProgress(tx: Tx, resources: MigrationResources, { row, parts }: Held): Promise<void> {
  const still = tx.now - row.progress_at;
  if (parts.some(({ definition }) => definition.status === 'archived') && row.status !== 'switched')
    throw new TurnBack('archived', 'One of the definitions was archived during the migration.');
  if (still > (patience[row.status] ?? Number.POSITIVE_INFINITY))
    throw new TurnBack('deadline', `No progress for ${Math.round(still / 1_000)} seconds.`);
  if (row.status !== 'starting' || still <= TARGET_AWAY_MS) return;
  const target = await resources.server(tx, row.account_id, row.to_server_id);
  if (!target?.connected)
    throw new TurnBack('target_away', 'The target went offline while the instance was starting there.');
}
