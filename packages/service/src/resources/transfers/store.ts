import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { list, lockById } from '../../storage/lists.ts';
import { type Slots, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type TransferRow = Row<'transfers'>;

export interface TransferFilter {
  readonly accountId: string;
  /** Only transfers that this server takes part in. */
  readonly serverId?: string | undefined;
}

/** Inlined instead of bound, so that the engines can use the partial indexes. */
const unfinished = (eb: ExpressionBuilder<Tables, 'transfers'>) =>
  eb('status', 'in', [sql.lit('pending' as const), sql.lit('running' as const)]);

const open =
  ({ accountId, serverId }: Slots<TransferFilter>) =>
  (eb: ExpressionBuilder<Tables, 'transfers'>): Expression<SqlBool> =>
    eb.and([
      unfinished(eb),
      eb('account_id', '=', accountId),
      ...(serverId === undefined
        ? []
        : [eb.or([eb('from_server_id', '=', serverId), eb('to_server_id', '=', serverId)])]),
    ]);

export const openList = list<TransferFilter, TransferRow>('transfers', {
  page: (db, filter, { limit, offset }) =>
    db.selectFrom('transfers').selectAll().where(open(filter)).orderBy('id').limit(limit).offset(offset),
  all: (db, filter) => db.selectFrom('transfers').select('id').where(open(filter)),
});

const ownedBy = (column: 'migration_id' | 'import_id') =>
  statement<{ id: string }, TransferRow>((db, p) =>
    db.selectFrom('transfers').selectAll().where(column, '=', p.id).orderBy('id'),
  );
const byMigration = ownedBy('migration_id');
const byImport = ownedBy('import_id');

export const transfersOf = (queries: Queries, id: string): Promise<TransferRow[]> => byMigration(queries, { id });

export const transfersOfImport = (queries: Queries, id: string): Promise<TransferRow[]> => byImport(queries, { id });

export const transferById = (queries: Queries, id: string): Promise<TransferRow | undefined> =>
  queries.db.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirst();

export const lockTransfer = lockById('transfers');

/** Sets the meeting place if it is free; returns the current one. */
export async function claimMeeting(tx: Tx, id: string, url: string, instead: string | undefined): Promise<string> {
  const free = tx.db.updateTable('transfers').set({ meeting_url: url }).where('id', '=', id);
  await (instead === undefined
    ? free.where('meeting_url', 'is', null)
    : free.where('meeting_url', '=', instead)
  ).execute();
  const row = await transferById(tx, id);
  return row?.meeting_url ?? url;
}

/** The servers of a transfer: two in a migration, one if a client is the other end. */
export const serversOf = ({
  from_server_id,
  to_server_id,
}: Pick<TransferRow, 'from_server_id' | 'to_server_id'>): string[] =>
  [from_server_id, to_server_id].filter((id) => id !== null);

/** Lists the servers of pending transfers. */
export async function serversWithOpen(queries: Queries): Promise<string[]> {
  const rows = await queries.db
    .selectFrom('transfers')
    .select(['from_server_id', 'to_server_id'])
    .where(unfinished)
    .where('status', '=', 'pending')
    .execute();
  return [...new Set(rows.flatMap((row) => serversOf(row)))];
}
