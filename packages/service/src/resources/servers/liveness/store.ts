import { claiming } from '../../../storage/locking.ts';
import { shapedStatement, statement } from '../../../storage/statement.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type ServerRow = Row<'servers'>;

export type Presence = Partial<
  Pick<
    ServerRow,
    'connected_replica' | 'duplicate_at' | 'polled_at' | 'last_seen_at' | 'connection_epoch' | 'daemon_platform'
  >
>;

const presenceOf = shapedStatement<Presence & { readonly id: string }>((db, { id, ...presence }) =>
  db.updateTable('servers').set(presence).where('id', '=', id),
);

/** Does not touch `updated_at`: presence is not a change of the server. */
export async function recordPresence(tx: Tx, id: string, presence: Presence): Promise<void> {
  await presenceOf(tx, { ...presence, id });
}

export type Attendance = Pick<
  ServerRow,
  | 'id'
  | 'connection_epoch'
  | 'connected_replica'
  | 'key_hash'
  | 'next_key_hash'
  | 'next_key_sealed'
  | 'identity_key'
  | 'identity_conflict'
  | 'identity_conflict_at'
>;

const attendance = [
  'id',
  'connection_epoch',
  'connected_replica',
  'key_hash',
  'next_key_hash',
  'next_key_sealed',
  'identity_key',
  'identity_conflict',
  'identity_conflict_at',
] as const;

/** Reads the state of connected servers; removed ones are missing. */
export const attendancesOf = (queries: Queries, ids: readonly string[]): Promise<Attendance[]> =>
  queries.db.selectFrom('servers').select(attendance).where('id', 'in', ids).where('deleted_at', 'is', null).execute();

const attendanceById = statement<{ id: string }, Attendance>((db, p) =>
  db.selectFrom('servers').select(attendance).where('id', '=', p.id).where('deleted_at', 'is', null),
);

/** Returns undefined if the server was removed. */
export const attendanceOf = async (queries: Queries, id: string): Promise<Attendance | undefined> =>
  (await attendanceById(queries, { id }))[0];

export async function recordSeen(tx: Tx, replica: string, ids: readonly string[]): Promise<void> {
  await tx.db
    .updateTable('servers')
    .set({ last_seen_at: tx.now })
    .where('id', 'in', ids)
    .where('connected_replica', '=', replica)
    .execute();
}

const keyToHandOver = statement<{ id: string }, Pick<ServerRow, 'account_id' | 'next_key_hash' | 'next_key_sealed'>>(
  (db, p) =>
    db
      .selectFrom('servers')
      .select(['account_id', 'next_key_hash', 'next_key_sealed'])
      .where('id', '=', p.id)
      .where('next_key_sealed', 'is not', null)
      .where('deleted_at', 'is', null),
);

export const findKeyToHandOver = async (queries: Queries, id: string) => (await keyToHandOver(queries, { id }))[0];

/** Returns false if the row is gone: other replicas considered this one dead. */
export async function beat(tx: Tx, replica: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('replicas')
    .set({ seen_at: tx.now })
    .where('id', '=', replica)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function insertReplica(tx: Tx, replica: string): Promise<void> {
  await tx.db
    .insertInto('replicas')
    .values({ id: replica, seen_at: tx.now })
    .onConflict((known) => known.column('id').doUpdateSet({ seen_at: tx.now }))
    .execute();
}

export async function deleteReplicasUnseenSince(tx: Tx, time: number): Promise<void> {
  await tx.db.deleteFrom('replicas').where('seen_at', '<', time).execute();
}

/** Lists the servers whose connection a replica holds, as far as the database knows. */
export const serversAt = (queries: Queries, replica: string) =>
  queries.db
    .selectFrom('servers')
    .select(['id', 'connection_epoch'])
    .where('connected_replica', '=', replica)
    .where('deleted_at', 'is', null)
    .execute();

/** Finds servers whose connection was held by a dead replica. */
export const orphanedServers = (tx: Tx, max: number): Promise<ServerRow[]> =>
  claiming(
    tx,
    tx.db
      .selectFrom('servers')
      .selectAll()
      .where('connected_replica', 'is not', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('replicas').select('replicas.id').whereRef('replicas.id', '=', 'servers.connected_replica'),
          ),
        ),
      )
      .limit(max),
  ).execute();
