import { forUpdate } from '../storage/locking.ts';
import { statement } from '../storage/statement.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';

/** Setting with the fingerprint of the master key of this database. */
const FINGERPRINT = 'master_key_fingerprint';

export type WrappedKey = Pick<Row<'data_keys'>, 'account_id' | 'wrapped' | 'master'>;

const byAccount = statement<{ accountId: string }, WrappedKey>((db, p) =>
  db.selectFrom('data_keys').select(['account_id', 'wrapped', 'master']).where('account_id', '=', p.accountId),
);

export const wrappedKeyOf = async (queries: Queries, accountId: string): Promise<WrappedKey | undefined> =>
  (await byAccount(queries, { accountId }))[0];

/** Keeps an existing key. */
export async function insertWrappedKey(tx: Tx, key: WrappedKey): Promise<void> {
  await tx.db
    .insertInto('data_keys')
    .values({ ...key, created_at: tx.now, updated_at: tx.now })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

export const keysNotWrappedBy = (tx: Tx, master: string, limit: number): Promise<WrappedKey[]> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('data_keys')
      .select(['account_id', 'wrapped', 'master'])
      .where('master', '!=', master)
      .orderBy('account_id')
      .limit(limit),
  ).execute();

export async function replaceWrappedKey(tx: Tx, key: WrappedKey): Promise<void> {
  await tx.db
    .updateTable('data_keys')
    .set({ wrapped: key.wrapped, master: key.master, updated_at: tx.now })
    .where('account_id', '=', key.account_id)
    .execute();
}

/** Returns the master keys that are needed to read the data keys. */
export async function mastersInUse(queries: Queries): Promise<string[]> {
  const rows = await queries.db.selectFrom('data_keys').select('master').distinct().execute();
  return rows.map((row) => row.master);
}

export async function cachedFingerprint(queries: Queries): Promise<string | undefined> {
  const row = await queries.db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', FINGERPRINT)
    .executeTakeFirst();
  return row?.value;
}

/** The first fingerprint wins. */
export async function claimFingerprint(tx: Tx, fingerprint: string): Promise<void> {
  await tx.db
    .insertInto('settings')
    .values({ name: FINGERPRINT, value: fingerprint })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

export async function replaceFingerprint(tx: Tx, fingerprint: string): Promise<void> {
  await tx.db.updateTable('settings').set({ value: fingerprint }).where('name', '=', FINGERPRINT).execute();
}
