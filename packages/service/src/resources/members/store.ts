import { list, listOf, ofAccount } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row } from '../../storage/tables.ts';

export type UserRow = Row<'users'>;
export type InviteRow = Row<'invites'>;

export const userList = list<{ readonly accountId: string }, UserRow>('members', {
  page: (db, filter, { limit, offset }) =>
    db.selectFrom('users').selectAll().where(ofAccount(filter)).orderBy('id').limit(limit).offset(offset),
  all: (db, filter) => db.selectFrom('users').select('id').where(ofAccount(filter)),
});

export async function setGranted(tx: Tx, id: string, granted: string): Promise<void> {
  await tx.db.updateTable('users').set({ granted, updated_at: tx.now }).where('id', '=', id).execute();
}

/** Locks all users of the account, so that the last owner cannot change meanwhile. */
export const lockUsers = (tx: Tx, accountId: string): Promise<UserRow[]> =>
  forUpdate(tx, tx.db.selectFrom('users').selectAll().where('account_id', '=', accountId).orderBy('id')).execute();

export const userWithEmail = (queries: Queries, email: string): Promise<Pick<UserRow, 'id'> | undefined> =>
  queries.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();

export const deleteUser = async (tx: Tx, id: string): Promise<void> =>
  void (await tx.db.deleteFrom('users').where('id', '=', id).execute());

/** Returns false if the email is taken. */
export async function addUser(tx: Tx, user: NewRow<'users'>): Promise<boolean> {
  const added = await tx.db
    .insertInto('users')
    .values(user)
    .onConflict((taken) => taken.column('email').doNothing())
    .returning('id')
    .execute();
  return added.length > 0;
}

/** Sets the name and email of a user; false if another user has the email. */
export async function introduceUser(tx: Tx, id: string, about: { name: string; email: string }): Promise<boolean> {
  const others = tx.db.selectFrom('users').select('id').where('email', '=', about.email).where('id', '<>', id);
  if ((await others.execute()).length > 0) return false;
  await tx.db
    .updateTable('users')
    .set({ ...about, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
  return true;
}

export const inviteList = listOf('invites', ofAccount);

export const addInvite = async (tx: Tx, invite: NewRow<'invites'>): Promise<void> =>
  void (await tx.db.insertInto('invites').values(invite).execute());

export const lockInvite = (tx: Tx, accountId: string, id: string): Promise<InviteRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('invites').selectAll().where('account_id', '=', accountId).where('id', '=', id),
  ).executeTakeFirst();

export const inviteByHash = (queries: Queries, hash: string): Promise<InviteRow | undefined> =>
  queries.db.selectFrom('invites').selectAll().where('hash', '=', hash).executeTakeFirst();

export const endOpenInvites = (tx: Tx, accountId: string, email: string): Promise<Pick<InviteRow, 'role'>[]> =>
  tx.db
    .updateTable('invites')
    .set({ ended_at: tx.now, outcome: 'revoked' })
    .where('account_id', '=', accountId)
    .where('email', '=', email)
    .where('ended_at', 'is', null)
    .returning('role')
    .execute();

/** Returns undefined if it has already ended: of two concurrent uses of a link one wins. */
export const endInvite = (
  tx: Tx,
  id: string,
  outcome: NonNullable<InviteRow['outcome']>,
): Promise<InviteRow | undefined> =>
  tx.db
    .updateTable('invites')
    .set({ ended_at: tx.now, outcome })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export const keepReset = async (tx: Tx, reset: NewRow<'password_resets'>): Promise<void> =>
  void (await tx.db
    .insertInto('password_resets')
    .values(reset)
    .onConflict((last) => last.column('user_id').doUpdateSet(reset))
    .execute());

/** Deletes the reset on use: a link works once. */
export const takeReset = (tx: Tx, hash: string) =>
  tx.db.deleteFrom('password_resets').where('hash', '=', hash).returningAll().executeTakeFirst();

export const resetExists = async (queries: Queries, hash: string, now: number): Promise<boolean> =>
  (await queries.db
    .selectFrom('password_resets')
    .select('user_id')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()) !== undefined;
