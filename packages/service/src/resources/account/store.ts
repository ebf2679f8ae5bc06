import { forUpdate } from '../../storage/locking.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export const userByEmail = (queries: Queries, email: string): Promise<Row<'users'> | undefined> =>
  queries.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

export const userById = (queries: Queries, id: string): Promise<Row<'users'> | undefined> =>
  queries.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();

/** Kept until the transaction ends. */
export const heldUser = (tx: Tx, id: string): Promise<Row<'users'> | undefined> =>
  forUpdate(tx, tx.db.selectFrom('users').selectAll().where('id', '=', id)).executeTakeFirst();

export const accountById = (queries: Queries, id: string): Promise<Row<'accounts'> | undefined> =>
  queries.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();

export async function replacePassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.db
    .updateTable('users')
    .set({ password_hash: passwordHash, updated_at: tx.now })
    .where('id', '=', userId)
    .execute();
}

export async function nameOfAccount(queries: Queries, accountId: string): Promise<string> {
  const account = queries.db.selectFrom('accounts').select('name').where('id', '=', accountId);
  return (await account.executeTakeFirstOrThrow()).name;
}
