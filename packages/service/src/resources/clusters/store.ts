import { forUpdate } from '../../storage/locking.ts';
import { statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row } from '../../storage/tables.ts';

export type MemberRow = Row<'server_members'>;

const members = statement<{ serverId: string }, MemberRow>((db, p) =>
  db
    .selectFrom('server_members')
    .selectAll()
    .where('server_id', '=', p.serverId)
    .where('revoked_at', 'is', null)
    .orderBy('id'),
);

/** Oldest first; revoked members are missing. */
export const membersOf = (queries: Queries, serverId: string): Promise<MemberRow[]> => members(queries, { serverId });

/** Returns the member that the registration of the cluster created, also if it was revoked. */
export const firstMemberOf = async (tx: Tx, serverId: string): Promise<string | undefined> => {
  const first = tx.db
    .selectFrom('server_members')
    .select('id')
    .where('server_id', '=', serverId)
    .orderBy('id')
    .limit(1);
  return (await first.executeTakeFirst())?.id;
};

/** Returns false if a member of the cluster has that name. */
export async function insertMember(tx: Tx, row: NewRow<'server_members'>): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('server_members')
    .values(row)
    .onConflict((clash) => clash.columns(['server_id', 'name']).where('revoked_at', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

const held = statement<{ id: string }, MemberRow>((db, p, engine) =>
  forUpdate({ engine }, db.selectFrom('server_members').selectAll().where('id', '=', p.id)),
);

/** Locks a member that was not revoked. Lock its server first. */
export async function lockMember(tx: Tx, id: string): Promise<MemberRow | undefined> {
  const [row] = await held(tx, { id });
  return row?.revoked_at === null ? row : undefined;
}

type MemberColumns = Partial<Omit<MemberRow, 'id' | 'server_id' | 'account_id' | 'updated_at'>>;

export async function updateMember(tx: Tx, row: MemberRow, columns: MemberColumns): Promise<MemberRow> {
  const changed = { ...columns, updated_at: tx.now };
  await tx.db.updateTable('server_members').set(changed).where('id', '=', row.id).execute();
  return { ...row, ...changed };
}

/** Reads which of these members still have their key; revoked ones are missing. */
export const keysOfMembers = (queries: Queries, ids: readonly string[]) =>
  queries.db
    .selectFrom('server_members')
    .select(['id', 'key_hash', 'identity_key', 'connection_number'])
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute();

/** Does not touch `updated_at`: presence is not a change of the member. */
export async function recordMembersSeen(tx: Tx, replica: string, ids: readonly string[]): Promise<void> {
  await tx.db
    .updateTable('server_members')
    .set({ last_seen_at: tx.now, connected_replica: replica })
    .where('id', 'in', ids)
    .execute();
}

/** Records the end of a connection, unless a newer one has replaced it. */
export async function recordMemberGone(tx: Tx, id: string, connectionNumber: number): Promise<void> {
  await tx.db
    .updateTable('server_members')
    .set({ connected_replica: null, last_seen_at: tx.now })
    .where('id', '=', id)
    .where('connection_number', '=', connectionNumber)
    .execute();
}
