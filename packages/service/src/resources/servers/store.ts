import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { listOf } from '../../storage/lists.ts';
import { forUpdate, forUse } from '../../storage/locking.ts';
import { type Slots, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type ServerRow = Row<'servers'>;

export interface ServerFilter {
  readonly accountId: string;
  /** Only servers that this user registered. */
  readonly registeredBy?: string | null;
}

const matching =
  (filter: Slots<ServerFilter>) =>
  (eb: ExpressionBuilder<Tables, 'servers'>): Expression<SqlBool> =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      eb('deleted_at', 'is', null),
      ...(filter.registeredBy === undefined
        ? []
        : [eb('registered_by', filter.registeredBy === null ? 'is' : '=', filter.registeredBy)]),
    ]);

export const serverList = listOf('servers', matching);

const byId = statement<{ id: string; accountId: string }, ServerRow>((db, p) =>
  db
    .selectFrom('servers')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('deleted_at', 'is', null),
);

export const findServer = async (queries: Queries, accountId: string, id: string): Promise<ServerRow | undefined> =>
  (await byId(queries, { id, accountId }))[0];

const inUseById = statement<{ id: string; accountId: string }, Pick<ServerRow, 'status'>>((db, p, engine) =>
  forUse(
    engine,
    db
      .selectFrom('servers')
      .select('status')
      .where('id', '=', p.id)
      .where('account_id', '=', p.accountId)
      .where('deleted_at', 'is', null),
  ),
);

/** Keeps the server from being removed until the transaction ends. Returns its status; undefined if there is none. */
export const useServer = async (tx: Tx, accountId: string, id: string): Promise<ServerRow['status'] | undefined> =>
  (await inUseById(tx, { id, accountId }))[0]?.status;

export const lockServer = (tx: Tx, accountId: string, id: string): Promise<ServerRow | undefined> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('servers')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null),
  ).executeTakeFirst();

/** Lists servers for deploy tests: online before others, newest first. */
export const listForTests = (queries: Queries, accountId: string): Promise<ServerRow[]> =>
  queries.db
    .selectFrom('servers')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deploy_tests', '=', 1)
    .where('deleted_at', 'is', null)
    .where('status', 'not in', ['draining', 'disabled'])
    .orderBy((eb) =>
      eb
        .case()
        .when('status', '=', sql.lit('online' as const))
        .then(0)
        .else(1)
        .end(),
    )
    .orderBy('id', 'desc')
    .execute();

const daemonColumns = ['id', 'status', 'connection_epoch', 'last_seen_at'] as const;
type DaemonRow = Pick<ServerRow, (typeof daemonColumns)[number]>;

export const connectedDaemon = statement<{ id: string }, DaemonRow>((db, p) =>
  db.selectFrom('servers').select(daemonColumns).where('id', '=', p.id),
);

export const lockConnectedDaemon = statement<{ id: string }, DaemonRow>((db, p, engine) =>
  forUpdate({ engine }, db.selectFrom('servers').select(daemonColumns).where('id', '=', p.id)),
);

export const platformById = statement<{ id: string }, Pick<ServerRow, 'daemon_platform'>>((db, p) =>
  db.selectFrom('servers').select('daemon_platform').where('id', '=', p.id),
);

export async function capabilitiesOf(queries: Queries, id: string): Promise<readonly string[]> {
  const row = await queries.db.selectFrom('servers').select('capabilities').where('id', '=', id).executeTakeFirst();
  return row ? (JSON.parse(row.capabilities) as string[]) : [];
}

export const rotationOf = (queries: Queries, id: string) =>
  queries.db.selectFrom('servers').select(['next_key_hash', 'old_key_until']).where('id', '=', id).executeTakeFirst();

type IdentityRow = Pick<
  ServerRow,
  'identity_key' | 'identity_pinned_at' | 'identity_conflict' | 'identity_conflict_at' | 'key_trusted' | 'kind'
>;

const recipient = statement<{ id: string }, IdentityRow>((db, p) =>
  db
    .selectFrom('servers')
    .select(['identity_key', 'identity_pinned_at', 'identity_conflict', 'identity_conflict_at', 'key_trusted', 'kind'])
    .where('id', '=', p.id)
    .where('deleted_at', 'is', null),
);

export const recipientOf = async (queries: Queries, id: string): Promise<IdentityRow | undefined> =>
  (await recipient(queries, { id }))[0];

export async function setIdentity(tx: Tx, id: string, row: Omit<IdentityRow, 'key_trusted' | 'kind'>): Promise<void> {
  const { identity_key, identity_pinned_at, identity_conflict, identity_conflict_at } = row;
  await tx.db
    .updateTable('servers')
    .set({ identity_key, identity_pinned_at, identity_conflict, identity_conflict_at })
    .where('id', '=', id)
    .execute();
}

/** Records that no key of the server is known to anyone without `data:export`. */
export async function trustServer(tx: Tx, id: string): Promise<void> {
  await tx.db.updateTable('servers').set({ key_trusted: 1 }).where('id', '=', id).execute();
}

/** Written only if changed, because every report contains it. */
export const writeFingerprint = (tx: Tx, id: string, fingerprint: string) =>
  tx.db
    .updateTable('servers')
    .set({ fingerprint })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('fingerprint', 'is', null), eb('fingerprint', '<>', fingerprint)]))
    .execute();

/** Written only if changed. */
export const writeNetworks = (tx: Tx, id: string, networks: string) =>
  tx.db
    .updateTable('servers')
    .set({ networks })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('networks', 'is', null), eb('networks', '<>', networks)]))
    .execute();

export type ServerColumns = Partial<
  Pick<
    ServerRow,
    | 'name'
    | 'environment'
    | 'description'
    | 'deploy_tests'
    | 'labels'
    | 'key_hash'
    | 'next_key_hash'
    | 'next_key_sealed'
    | 'old_key_until'
    | 'key_trusted'
    | 'deleted_at'
  >
>;

export async function updateServer(tx: Tx, row: ServerRow, columns: ServerColumns): Promise<ServerRow> {
  const changed = { ...columns, updated_at: tx.now };
  await tx.db.updateTable('servers').set(changed).where('id', '=', row.id).execute();
  return { ...row, ...changed };
}

const held = statement<{ id: string }, ServerRow>((db, p, engine) =>
  forUpdate({ engine }, db.selectFrom('servers').selectAll().where('id', '=', p.id).where('deleted_at', 'is', null)),
);

/** Holds a server without asking for its account: the caller has authenticated with the key of the server. */
export const heldServer = async (tx: Tx, id: string): Promise<ServerRow | undefined> => (await held(tx, { id }))[0];

/** Holds them in the order of their ids, so that two transactions cannot deadlock. */
export const heldServers = (tx: Tx, ids: readonly string[]): Promise<ServerRow[]> =>
  forUpdate(
    tx,
    tx.db.selectFrom('servers').selectAll().where('id', 'in', ids).where('deleted_at', 'is', null).orderBy('id'),
  ).execute();

/** Servers whose daemon is neither connected nor polls, in all accounts. */
export const offlineServers = (queries: Queries) =>
  queries.db
    .selectFrom('servers')
    .select(['id', 'account_id', 'name', 'last_seen_at'])
    .where('deleted_at', 'is', null)
    // Literals, so that the engines use the partial index.
    .where('status', 'in', [sql.lit('offline' as const), sql.lit('draining' as const)])
    .where('connected_replica', 'is', null)
    .where('polled_at', 'is', null)
    .where('last_seen_at', 'is not', null)
    .execute();

/** Reads what is known about the daemons of an account's servers. */
export const daemonRows = (
  queries: Queries,
  { accountId, ids }: { readonly accountId: string; readonly ids?: readonly string[] },
) =>
  queries.db
    .selectFrom('servers')
    .select([
      'id',
      'name',
      'environment',
      'labels',
      'daemon_version',
      'capabilities',
      'daemon_platform',
      'connected_replica',
    ])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .execute();

/** Lists all servers of an account by name, for those who choose one of them. */
export const serversOf = (
  queries: Queries,
  accountId: string,
): Promise<Pick<ServerRow, 'id' | 'name' | 'status' | 'labels' | 'key_trusted'>[]> =>
  queries.db
    .selectFrom('servers')
    .select(['id', 'name', 'status', 'labels', 'key_trusted'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute();
