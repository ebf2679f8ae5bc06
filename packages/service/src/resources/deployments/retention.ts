import { sql } from 'kysely';
import { giveBack, oldestUpTo } from '../../quotas/stored-output.ts';
import type { Removal } from '../../retention/removal.ts';
import type { Tx } from '../../storage/storage.ts';

export async function removeLogLines(...[tx, before, max]: Parameters<Removal>): Promise<number> {
  const old = await tx.db
    .selectFrom('deployment_logs')
    .select('deployment_id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(max)
    .execute();
  if (old.length === 0) return 0;
  // Of few deployments, because the lines of one are stored next to each other.
  const ids = [...new Set(old.map(({ deployment_id }) => deployment_id))].slice(0, 20);
  const removed = await tx.db
    .deleteFrom('deployment_logs')
    .where((eb) =>
      eb(
        eb.refTuple('deployment_id', 'number'),
        'in',
        eb
          .selectFrom('deployment_logs')
          .select(['deployment_id', 'number'])
          .where('deployment_id', 'in', ids)
          .where('at', '<', before)
          .limit(max)
          .$asTuple('deployment_id', 'number'),
      ),
    )
    .returning(['deployment_id', sql<number>`octet_length(message)`.as('bytes')])
    .execute();
  for (const id of ids) {
    const bytes = removed
      .filter(({ deployment_id }) => deployment_id === id)
      .reduce((sum, item) => sum + item.bytes, 0);
    await noteDropped(tx, id, bytes);
  }
  return removed.length;
}

async function noteDropped(tx: Tx, id: string, bytes: number): Promise<void> {
  const { account_id } = await tx.db
    .updateTable('deployments')
    .set((eb) => ({ log_bytes: eb('log_bytes', '-', bytes), log_dropped: 1 }))
    .where('id', '=', id)
    .returning('account_id')
    .executeTakeFirstOrThrow();
  await giveBack(tx, [[account_id, bytes]]);
}

/**
 * Drops the logs of the oldest ended deployments until `bytes` are freed, at most `max` logs; returns the bytes freed.
 */
export async function dropOldestLogs(tx: Tx, accountId: string, bytes: number, max: number): Promise<number> {
  const oldest = await tx.db
    .selectFrom('deployments')
    .select(['id', 'log_bytes'])
    .where('account_id', '=', accountId)
    .where('log_bytes', '>', sql.lit(0))
    .where('finished_at', 'is not', null)
    .orderBy('id')
    .limit(max)
    .execute();
  const { ids, freed } = oldestUpTo(
    bytes,
    oldest.map(({ id, log_bytes }) => [id, log_bytes]),
  );
  if (ids.length === 0) return 0;
  await tx.db.deleteFrom('deployment_logs').where('deployment_id', 'in', ids).execute();
  await tx.db.updateTable('deployments').set({ log_bytes: 0, log_dropped: 1 }).where('id', 'in', ids).execute();
  return freed;
}
