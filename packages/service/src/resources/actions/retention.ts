import { sql } from 'kysely';
import { giveBack, oldestUpTo } from '../../quotas/stored-output.ts';
import type { Removal } from '../../retention/removal.ts';
import type { Tx } from '../../storage/storage.ts';

/** Removes old outputs; the executions stay. */
export const removeOutputs: Removal = async (tx, before, max) => {
  const old = await tx.db
    .selectFrom('executions')
    .select(['id', 'account_id', 'output_bytes'])
    .where('output', 'is not', null)
    .where('finished_at', '<', before)
    .orderBy('finished_at')
    .limit(max)
    .execute();
  if (old.length === 0) return 0;
  await clearOutputs(
    tx,
    old.map(({ id }) => id),
  );
  await giveBack(
    tx,
    old.map(({ account_id, output_bytes }) => [account_id, output_bytes]),
  );
  return old.length;
};

/** Removes the oldest outputs until `bytes` are freed, at most `max` outputs; returns the bytes freed. */
export async function dropOldestOutputs(tx: Tx, accountId: string, bytes: number, max: number): Promise<number> {
  const oldest = await tx.db
    .selectFrom('executions')
    .select(['id', 'output_bytes'])
    .where('account_id', '=', accountId)
    .where('output_bytes', '>', sql.lit(0))
    .orderBy('finished_at')
    .limit(max)
    .execute();
  const { ids, freed } = oldestUpTo(
    bytes,
    oldest.map(({ id, output_bytes }) => [id, output_bytes]),
  );
  if (ids.length > 0) await clearOutputs(tx, ids);
  return freed;
}

async function clearOutputs(tx: Tx, ids: readonly string[]): Promise<void> {
  const cleared = { output: null, output_bytes: 0, output_dropped: 1 } as const;
  await tx.db.updateTable('executions').set(cleared).where('id', 'in', ids).execute();
}
