import { listOf, ofAccount } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row } from '../../storage/tables.ts';

export type KeyRow = Row<'api_keys'>;

export const keyList = listOf('api_keys', ofAccount);

export async function insertKey(tx: Tx, key: NewRow<'api_keys'>): Promise<void> {
  await tx.db.insertInto('api_keys').values(key).execute();
}

/** Locks the key. */
export const heldKey = (tx: Tx, accountId: string, id: string): Promise<KeyRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('api_keys').selectAll().where('id', '=', id).where('account_id', '=', accountId),
  ).executeTakeFirst();

/** Locks the unrevoked keys that a user created. */
export const heldKeysOf = (tx: Tx, accountId: string, userId: string): Promise<KeyRow[]> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('api_keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('created_by', '=', userId)
      .where('revoked_at', 'is', null)
      .orderBy('id'),
  ).execute();

export async function markRevoked(tx: Tx, id: string): Promise<void> {
  await tx.db.updateTable('api_keys').set({ revoked_at: tx.now }).where('id', '=', id).execute();
}

export async function nameOfKey(queries: Queries, accountId: string, id: string): Promise<string | null> {
  const row = await queries.db
    .selectFrom('api_keys')
    .select('name')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.name ?? null;
}
