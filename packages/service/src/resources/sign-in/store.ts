import { forUpdate } from '../../storage/locking.ts';
import { statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

/**
 * Finds a user and whether that user has signed in from this network before. A single query, so that an unknown email
 * costs as much as a known one.
 */
export async function userOnNetwork(
  queries: Queries,
  by: 'email' | 'id',
  value: string,
  network: string,
): Promise<{ readonly user: Row<'users'> | undefined; readonly known: boolean }> {
  const found = await queries.db
    .selectFrom('users')
    .leftJoin('user_networks', (join) =>
      join.onRef('user_networks.user_id', '=', 'users.id').on('user_networks.network', '=', network),
    )
    .selectAll('users')
    .select('user_networks.network as known_network')
    .where(`users.${by}`, '=', value)
    .executeTakeFirst();
  if (!found) return { user: undefined, known: false };
  const { known_network, ...user } = found;
  return { user, known: known_network !== null };
}

const NETWORK_REMEMBERED_MS = 90 * 24 * 60 * 60_000;

/** Records a login from a network and removes networks not used for 90 days. */
export async function rememberNetwork(tx: Tx, user_id: string, network: string): Promise<void> {
  const seen = { user_id, network, last_login_at: tx.now };
  await tx.db
    .insertInto('user_networks')
    .values(seen)
    .onConflict((known) => known.columns(['user_id', 'network']).doUpdateSet(seen))
    .execute();
  await tx.db
    .deleteFrom('user_networks')
    .where('user_id', '=', user_id)
    .where('last_login_at', '<', tx.now - NETWORK_REMEMBERED_MS)
    .execute();
}

const userWithId = statement<{ id: string }, Row<'users'>>((db, p) =>
  db.selectFrom('users').selectAll().where('id', '=', p.id),
);

export const userById = async (queries: Queries, id: string): Promise<Row<'users'> | undefined> =>
  (await userWithId(queries, { id }))[0];

/** Locks the user until the transaction ends. */
export const heldUser = (tx: Tx, id: string): Promise<Row<'users'> | undefined> =>
  forUpdate(tx, tx.db.selectFrom('users').selectAll().where('id', '=', id)).executeTakeFirst();

const accountWithId = statement<{ id: string }, Row<'accounts'>>((db, p) =>
  db.selectFrom('accounts').selectAll().where('id', '=', p.id),
);

export const accountById = async (queries: Queries, id: string): Promise<Row<'accounts'> | undefined> =>
  (await accountWithId(queries, { id }))[0];

export const renameUser = (tx: Tx, id: string, name: string): Promise<Row<'users'> | undefined> =>
  tx.db.updateTable('users').set({ name, updated_at: tx.now }).where('id', '=', id).returningAll().executeTakeFirst();

export const replacePassword = (tx: Tx, id: string, passwordHash: string): Promise<Row<'users'> | undefined> =>
  tx.db
    .updateTable('users')
    .set({ password_hash: passwordHash, updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export async function nameOfAccount(queries: Queries, accountId: string): Promise<string> {
  const account = queries.db.selectFrom('accounts').select('name').where('id', '=', accountId);
  return (await account.executeTakeFirstOrThrow()).name;
}
