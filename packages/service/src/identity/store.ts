import type { Kysely } from 'kysely';
import { list } from '../storage/lists.ts';
import { forUpdate } from '../storage/locking.ts';
import { type Slots, statement } from '../storage/statement.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { NewRow, Row, Tables } from '../storage/tables.ts';

const keyByHash = statement<{ hash: string }, Row<'api_keys'> & Pick<Row<'accounts'>, 'plan'>>((db, p) =>
  db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select('accounts.plan')
    .where('api_keys.hash', '=', p.hash),
);

export const findKey = async (queries: Queries, hash: string) => (await keyByHash(queries, { hash }))[0];

const sessionByHash = statement<
  { hash: string },
  Row<'sessions'> & Pick<Row<'accounts'>, 'plan'> & Pick<Row<'users'>, 'role' | 'admin' | 'granted'>
>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select(['accounts.plan', 'users.role', 'users.admin', 'users.granted'])
    .where('sessions.hash', '=', p.hash)
    .where('sessions.ended_at', 'is', null),
);

export const findSession = async (queries: Queries, hash: string) => (await sessionByHash(queries, { hash }))[0];

const serverByKey = statement<
  { hash: string },
  Pick<Row<'servers'>, 'id' | 'account_id' | 'key_hash' | 'next_key_hash'> & Pick<Row<'accounts'>, 'plan'>
>((db, p) =>
  db
    .selectFrom('servers')
    .innerJoin('accounts', 'accounts.id', 'servers.account_id')
    .select(['servers.id', 'servers.account_id', 'servers.key_hash', 'servers.next_key_hash', 'accounts.plan'])
    .where((either) =>
      either.or([either('servers.key_hash', '=', p.hash), either('servers.next_key_hash', '=', p.hash)]),
    )
    .where('servers.deleted_at', 'is', null),
);

/** Finds a server by its key, including a rotated key that its daemon uses for the first time. */
export const findServer = async (queries: Queries, hash: string) => (await serverByKey(queries, { hash }))[0];

const memberByKey = statement<
  { hash: string },
  Pick<Row<'server_members'>, 'id' | 'server_id' | 'account_id'> & Pick<Row<'accounts'>, 'plan'>
>((db, p) =>
  db
    .selectFrom('server_members')
    .innerJoin('accounts', 'accounts.id', 'server_members.account_id')
    .select(['server_members.id', 'server_members.server_id', 'server_members.account_id', 'accounts.plan'])
    .where('server_members.key_hash', '=', p.hash)
    .where('server_members.revoked_at', 'is', null),
);

/** Finds a member of a cluster by its key. */
export const findMember = async (queries: Queries, hash: string) => (await memberByKey(queries, { hash }))[0];

/** Locks and returns the server whose next key has this hash. */
export const serverWithNextKey = (tx: Tx, hash: string) =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('servers')
      .select(['id', 'account_id', 'key_hash'])
      .where('next_key_hash', '=', hash)
      .where('deleted_at', 'is', null),
  ).executeTakeFirst();

/** Promotes the next key. Rotating requires `data:export`, so the server is trusted from here on. */
export async function promoteNextKey(tx: Tx, serverId: string, hash: string): Promise<void> {
  await tx.db
    .updateTable('servers')
    .set({
      key_hash: hash,
      next_key_hash: null,
      next_key_sealed: null,
      old_key_until: null,
      key_trusted: 1,
      updated_at: tx.now,
    })
    .where('id', '=', serverId)
    .execute();
}

const keyUsed = statement<{ id: string; at: number }>((db, p) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: p.at })
    .where('id', '=', p.id)
    .where((either) => either.or([either('last_used_at', 'is', null), either('last_used_at', '<', p.at)])),
);

const sessionUsed = statement<{ id: string; at: number }>((db, p) =>
  db.updateTable('sessions').set({ last_seen_at: p.at }).where('id', '=', p.id).where('last_seen_at', '<', p.at),
);

/** Records the use of a key or session, unless another replica has recorded a later one. */
export async function recordUse(tx: Tx, id: string, at: number): Promise<void> {
  await (id.startsWith('ses_') ? sessionUsed : keyUsed)(tx, { id, at });
}

export async function insertSession(tx: Tx, session: NewRow<'sessions'>): Promise<void> {
  await tx.db.insertInto('sessions').values(session).execute();
}

/** Returns the hashes, so that every replica can be notified. */
export async function markSessionsEnded(tx: Tx, userId: string, except?: string): Promise<string[]> {
  let query = tx.db
    .updateTable('sessions')
    .set({ ended_at: tx.now })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null);
  if (except !== undefined) query = query.where('id', '!=', except);
  return (await query.returning('hash').execute()).map((row) => row.hash);
}

export async function markSessionEnded(tx: Tx, id: string): Promise<string | undefined> {
  const ended = tx.db.updateTable('sessions').set({ ended_at: tx.now }).where('id', '=', id);
  return (await ended.where('ended_at', 'is', null).returning('hash').executeTakeFirst())?.hash;
}

/** Selects the active sessions of a user. */
export interface LiveSessions {
  readonly userId: string;
  readonly now: number;
  readonly usedAfter: number;
}

const live = (db: Kysely<Tables>, { userId, now, usedAfter }: Slots<LiveSessions>) =>
  db
    .selectFrom('sessions')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', usedAfter);

export const liveSessions = list<LiveSessions, Row<'sessions'>>('sessions', {
  page: (db, which, { limit, offset }) => live(db, which).selectAll().orderBy('id', 'desc').limit(limit).offset(offset),
  all: (db, which) => live(db, which).select('id'),
});

export const findSessionOf = (queries: Queries, userId: string, id: string): Promise<Row<'sessions'> | undefined> =>
  queries.db.selectFrom('sessions').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();

export async function deleteExpiredSessions(tx: Tx, userId: string): Promise<void> {
  await tx.db.deleteFrom('sessions').where('user_id', '=', userId).where('expires_at', '<=', tx.now).execute();
}

/** Origin of the link that is printed at the first start. */
export const FIRST_START = 'first-start';

export async function insertFirstLink(
  tx: Tx,
  link: Pick<NewRow<'password_resets'>, 'user_id' | 'hash' | 'expires_at'>,
) {
  await tx.db
    .insertInto('password_resets')
    .values({ ...link, created_by: FIRST_START, created_at: tx.now })
    .execute();
}

/** Replaces the link of the first start; returns false if its user has signed in since. */
export async function replaceFirstLink(
  tx: Tx,
  link: Pick<NewRow<'password_resets'>, 'hash' | 'expires_at'>,
): Promise<boolean> {
  const replaced = await tx.db
    .updateTable('password_resets')
    .set({ ...link, created_at: tx.now })
    .where('created_by', '=', FIRST_START)
    .returning('user_id')
    .executeTakeFirst();
  return replaced !== undefined;
}

/** Invalidates the link of the first start once its user has signed in. */
export async function deleteFirstLink(tx: Tx, userId: string): Promise<void> {
  await tx.db
    .deleteFrom('password_resets')
    .where('user_id', '=', userId)
    .where('created_by', '=', FIRST_START)
    .execute();
}

const FIRST_ACCOUNT = 'first_account';

export const firstAccount = async (queries: Queries): Promise<string | undefined> =>
  (await queries.db.selectFrom('settings').select('value').where('name', '=', FIRST_ACCOUNT).executeTakeFirst())?.value;

/** Returns false if another replica was faster. */
export async function claimFirstAccount(tx: Tx, accountId: string): Promise<boolean> {
  const claimed = await tx.db
    .insertInto('settings')
    .values({ name: FIRST_ACCOUNT, value: accountId })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  return claimed !== undefined;
}

export async function insertAccount(tx: Tx, account: NewRow<'accounts'>): Promise<void> {
  await tx.db.insertInto('accounts').values(account).execute();
}

export async function insertUser(tx: Tx, user: NewRow<'users'>): Promise<void> {
  await tx.db.insertInto('users').values(user).execute();
}

export async function insertKey(tx: Tx, key: NewRow<'api_keys'>): Promise<void> {
  await tx.db.insertInto('api_keys').values(key).execute();
}

/** Finds a key of an account by its id, with the plan of the account. */
export const keyById = (queries: Queries, accountId: string, id: string) =>
  queries.db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select('accounts.plan')
    .where('api_keys.id', '=', id)
    .where('api_keys.account_id', '=', accountId)
    .executeTakeFirst();

/** Finds a user of an account by its id, with the plan of the account. */
export const memberById = (queries: Queries, accountId: string, id: string) =>
  queries.db
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .select(['users.id', 'users.role', 'users.admin', 'users.granted', 'accounts.plan'])
    .where('users.id', '=', id)
    .where('users.account_id', '=', accountId)
    .executeTakeFirst();
