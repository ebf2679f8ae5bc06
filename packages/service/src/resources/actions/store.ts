import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { countUpTo } from '../../storage/count-up-to.ts';
import { list, lockById } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import { type Slots, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type ExecutionRow = Row<'executions'>;

export interface ExecutionFilter {
  readonly accountId: string;
  readonly instanceId?: string | undefined;
  /** Range of creation times, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly slug?: string | undefined;
  readonly status?: ExecutionRow['status'] | undefined;
  readonly kind?: ExecutionRow['kind'] | undefined;
}

const matching =
  (filter: Slots<ExecutionFilter>) =>
  (eb: ExpressionBuilder<Tables, 'executions'>): Expression<SqlBool> =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      ...(filter.instanceId === undefined ? [] : [eb('instance_id', '=', filter.instanceId)]),
      ...(filter.since === undefined ? [] : [eb('created_at', '>=', filter.since)]),
      ...(filter.until === undefined ? [] : [eb('created_at', '<', filter.until)]),
      ...(filter.slug === undefined ? [] : [eb('slug', '=', filter.slug)]),
      ...(filter.status === undefined ? [] : [eb('status', '=', filter.status)]),
      ...(filter.kind === undefined ? [] : [eb('kind', '=', filter.kind)]),
    ]);

/** Inlined instead of bound, so that the engines can use the partial index. */
const unfinished = [sql.lit('pending' as const), sql.lit('sent' as const), sql.lit('running' as const)];

/** A page of outputs and requests could take hundreds of megabytes, also if it were read and left out afterwards. */
const listed = [
  'id',
  'account_id',
  'instance_id',
  'server_id',
  'slug',
  'name',
  'kind',
  'status',
  'params',
  'exit_code',
  'output_truncated',
  'output_bytes',
  'output_dropped',
  'error',
  'outcome',
  'timeout_ms',
  'deadline_at',
  'paused_at',
  'sent_epoch',
  'sent_journal',
  'cancel_requested_at',
  'created_by',
  'created_at',
  'updated_at',
  'sent_at',
  'started_at',
  'finished_at',
] as const;

export type ListedExecution = Omit<ExecutionRow, 'output' | 'request'>;

export const executionList = list<ExecutionFilter, ListedExecution>('executions', {
  page: (db, filter, { limit, offset }) =>
    db
      .selectFrom('executions')
      .select(listed)
      .where(matching(filter))
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset),
  all: (db, filter) => db.selectFrom('executions').select('id').where(matching(filter)),
});

const byId = statement<{ id: string }, ExecutionRow>((db, p) =>
  db.selectFrom('executions').selectAll().where('id', '=', p.id),
);
export const findExecution = async (queries: Queries, id: string): Promise<ExecutionRow | undefined> =>
  (await byId(queries, { id }))[0];

export const latestOfInstance = (queries: Queries, instanceId: string, slug: string) =>
  queries.db
    .selectFrom('executions')
    .selectAll()
    .where('instance_id', '=', instanceId)
    .where('slug', '=', slug)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export const lockExecution = lockById('executions');

const anyUnfinished = statement<{ serverId: string }, { id: string }>((db, p) =>
  db
    .selectFrom('executions')
    .select('id')
    .where('server_id', '=', p.serverId)
    .where('status', 'in', unfinished)
    .limit(1),
);
export const hasUnfinished = async (queries: Queries, serverId: string): Promise<boolean> =>
  (await anyUnfinished(queries, { serverId })).length > 0;

const unfinishedOfServer = statement<{ serverId: string }, ExecutionRow>((db, p, engine) =>
  forUpdate(
    { engine },
    db
      .selectFrom('executions')
      .selectAll()
      .where('server_id', '=', p.serverId)
      .where('status', 'in', unfinished)
      .orderBy('id'),
  ),
);
export const lockUnfinished = (tx: Tx, serverId: string): Promise<ExecutionRow[]> =>
  unfinishedOfServer(tx, { serverId });

export const lockPendingOfInstance = (tx: Tx, instanceId: string): Promise<ExecutionRow[]> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('executions')
      .selectAll()
      .where('instance_id', '=', instanceId)
      .where('status', '=', sql.lit('pending' as const))
      .orderBy('id'),
  ).execute();

export type WaitingRow = Pick<ExecutionRow, 'server_id' | 'status' | 'sent_epoch' | 'cancel_requested_at'>;

const unfinishedById = statement<{ instanceId: string }, Pick<ExecutionRow, 'id' | 'slug'>>((db, p) =>
  db
    .selectFrom('executions')
    .select(['id', 'slug'])
    .where('instance_id', '=', p.instanceId)
    .where('status', 'in', unfinished)
    .orderBy('id'),
);
/** Lists unfinished executions of an instance, oldest first. */
export const unfinishedOfInstance = (queries: Queries, instanceId: string) => unfinishedById(queries, { instanceId });

const waitingOfAll = statement<object, WaitingRow>((db) =>
  db
    .selectFrom('executions')
    .select(['server_id', 'status', 'sent_epoch', 'cancel_requested_at'])
    .where('status', 'in', unfinished)
    .where((eb) => eb.or([eb('status', '!=', sql.lit('running' as const)), eb('cancel_requested_at', 'is not', null)])),
);
/** Lists executions of all servers that are to be sent or cancelled. */
export const waitingExecutions = (queries: Queries): Promise<WaitingRow[]> => waitingOfAll(queries, {});

type Bookkeeping = Partial<
  Pick<ExecutionRow, 'sent_epoch' | 'sent_journal' | 'deadline_at' | 'paused_at' | 'cancel_requested_at'>
>;

/** Writes columns other than the status. */
export const noteExecution = (tx: Tx, id: string, columns: Bookkeeping) =>
  tx.db.updateTable('executions').set(columns).where('id', '=', id).execute();

/** Unmarks an execution that was marked as sent but not delivered. */
export const handBack = (tx: Tx, id: string, epoch: number) =>
  tx.db
    .updateTable('executions')
    .set({ sent_epoch: null })
    .where('id', '=', id)
    .where('status', '=', sql.lit('sent' as const))
    .where('sent_epoch', '=', epoch)
    .execute();

/** Pauses the deadlines of executions that may be running. */
export const pauseOfServer = (tx: Tx, serverId: string) =>
  tx.db
    .updateTable('executions')
    .set({ paused_at: tx.now })
    .where('server_id', '=', serverId)
    .where('status', 'in', [sql.lit('sent' as const), sql.lit('running' as const)])
    .where('paused_at', 'is', null)
    .execute();

/** Counts scheduled runs reported since a time, by the service's clock: a daemon controls all other times. */
export const countScheduled = (queries: Queries, instanceId: string, since: number): Promise<number> =>
  countUpTo(
    queries,
    queries.db
      .selectFrom('executions')
      .select('id')
      .where('instance_id', '=', instanceId)
      .where('kind', '=', sql.lit('scheduled' as const))
      .where('finished_at', '>', since),
    10_000,
  );
