import type { JobKind } from '../../jobs/job.ts';
import { type NextStep, rowJob } from '../../jobs/row-job.ts';
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
const POLL_MS = 5_000;
/** While the instance is stopped, every second is downtime. */
const STOPPED_POLL_MS = 1_000;

/** Longest time without progress per state: generous while the instance runs, short while it is stopped. */
const timeouts: Partial<Record<MigrationRow['status'], number>> = {
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

/** Advances a migration as far as possible. Retried without end, because instances may be stopped meanwhile. */
export const migrationJob = ({ storage, resources }: MigrationJobDeps): JobKind =>
  rowJob({
    storage,
    concurrency: 8,
    lock: (tx, id) => hold(tx, resources, id),
    isOver: ({ row }) => isOver(row),
    advance: (tx, held) => advance(tx, resources, held),
    async fail(tx, held, problem) {
      if (!(problem instanceof TurnBack)) throw problem;
      const { reason, message } = problem;
      if (held.row.status in forwardSteps && held.row.status !== 'switched')
        await turnBack(tx, resources, held, { reason, error: message, actor: null });
      return tx.now;
    },
  });

async function advance(tx: Tx, resources: MigrationResources, held: Held): Promise<NextStep> {
  const { id, status } = held.row;
  if (status === 'returning') await goBack(tx, resources, held);
  else {
    await requireProgress(tx, resources, held);
    await forwardSteps[status]?.(tx, resources, held);
  }
  const after = await migrationById(tx, id);
  if (!after || isOver(after)) return undefined;
  if (after.status === status) return nextPoll(after, tx.now);
  const next = await hold(tx, resources, id);
  return next && (await advance(tx, resources, next));
}

const isOver = ({ status }: MigrationRow): boolean => status === 'completed' || status === 'failed';

function nextPoll({ status, progress_at, release_at }: MigrationRow, now: number): number {
  if (status === 'switched' && release_at !== null && now < release_at) return release_at;
  const next = now + (status === 'returning' || status === 'stopping' ? STOPPED_POLL_MS : POLL_MS);
  const limit = timeouts[status];
  return limit === undefined ? next : Math.min(next, Math.max(now, progress_at + limit + 1));
}

async function requireProgress(tx: Tx, resources: MigrationResources, { row, parts }: Held): Promise<void> {
  const still = tx.now - row.progress_at;
  if (parts.some(({ definition }) => definition.status === 'archived') && row.status !== 'switched')
    throw new TurnBack('archived', 'One of the definitions was archived during the migration.');
  if (still > (timeouts[row.status] ?? Number.POSITIVE_INFINITY))
    throw new TurnBack('deadline', `No progress for ${Math.round(still / 1_000)} seconds.`);
  if (row.status !== 'starting' || still <= TARGET_AWAY_MS) return;
  const target = await resources.server(tx, row.account_id, row.to_server_id);
  if (!target?.connected)
    throw new TurnBack('target_away', 'The target went offline while the instance was starting there.');
}
