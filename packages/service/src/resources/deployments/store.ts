import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { list, lockById } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import { type Slots, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type DeploymentRow = Row<'deployments'>;

/** Deployments that a caller may see or report: of the account or, for a daemon, of its server. */
export interface Scope {
  readonly accountId: string;
  readonly serverId?: string | undefined;
}

export interface DeploymentFilter extends Scope {
  readonly definitionId?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly status?: DeploymentRow['status'] | undefined;
  /** By age; newest first by default. */
  readonly order?: 'asc' | 'desc';
}

type Where = (eb: ExpressionBuilder<Tables, 'deployments'>) => Expression<SqlBool>;

const matching =
  ({ accountId, serverId, definitionId, instanceId, status }: Slots<DeploymentFilter, 'order'>): Where =>
  (eb) =>
    eb.and([
      eb('deployments.account_id', '=', accountId),
      ...(serverId === undefined ? [] : [eb('deployments.server_id', '=', serverId)]),
      ...(definitionId === undefined ? [] : [eb('deployments.definition_id', '=', definitionId)]),
      ...(instanceId === undefined ? [] : [eb('deployments.instance_id', '=', instanceId)]),
      ...(status === undefined ? [] : [eb('deployments.status', '=', status)]),
    ]);

/** Inlined instead of bound, so that the engines can use the partial index. */
const unfinished = sql<SqlBool>`deployments.status in ('pending', 'running')`;

/** Has no preparation, or has finished it. */
const prepared: Where = (eb) =>
  eb.or([eb('deployments.preparation', 'is', null), eb('deployments.prepared_at', 'is not', null)]);

/** Running deployments, and the first pending one of each definition that has nothing ahead. */
const offeredTo =
  ({ serverId }: Slots<{ readonly serverId: string }>): Where =>
  (eb) =>
    eb.and([
      eb('deployments.server_id', '=', serverId),
      unfinished,
      prepared(eb),
      eb.or([
        eb('deployments.status', '=', 'running'),
        eb.not(
          eb.exists(
            eb
              .selectFrom('deployments as ahead')
              .select('ahead.id')
              .whereRef('ahead.definition_id', '=', 'deployments.definition_id')
              .where(sql<SqlBool>`ahead.status in ('pending', 'running')`)
              .where((ahead) =>
                ahead.or([ahead('ahead.status', '=', 'running'), ahead('ahead.id', '<', ahead.ref('deployments.id'))]),
              ),
          ),
        ),
      ]),
    ]);

/** Finds the newest rollback of a deployment. */
export const undoing = (queries: Queries, accountId: string, id: string): Promise<DeploymentRow | undefined> =>
  queries.db
    .selectFrom('deployments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('rollback_of', '=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Lists unfinished deployments of a server. */
export const unfinishedOn = (queries: Queries, serverId: string) =>
  queries.db
    .selectFrom('deployments')
    .select(['definition_id', 'revision'])
    .where('server_id', '=', serverId)
    .where(unfinished)
    .execute();

const found = (db: Kysely<Tables>, where: Where) => db.selectFrom('deployments').where(where);

export const deploymentList = list<DeploymentFilter, DeploymentRow, 'order'>('deployments', {
  page: (db, filter, { limit, offset }) =>
    found(db, matching(filter))
      .selectAll('deployments')
      .orderBy('deployments.id', filter.order ?? 'desc')
      .limit(limit)
      .offset(offset),
  all: (db, filter) => found(db, matching(filter)).select('deployments.id'),
  decidedBy: ['order'],
});

export const offeredList = list<{ readonly serverId: string }, DeploymentRow>('deployments offered', {
  page: (db, server, { limit, offset }) =>
    found(db, offeredTo(server)).selectAll('deployments').orderBy('deployments.id').limit(limit).offset(offset),
  all: (db, server) => found(db, offeredTo(server)).select('deployments.id'),
});

/** To be started or cancelled. */
const news: Where = (eb) =>
  eb.or([eb('deployments.status', '=', 'pending'), eb('deployments.cancel_requested_at', 'is not', null)]);

const newsFor = statement<{ serverId: string }, { id: string }>((db, p) =>
  db
    .selectFrom('deployments')
    .select('deployments.id')
    .where(offeredTo({ serverId: sql.val(p.serverId) }))
    .where(news)
    .limit(1),
);

export const hasNews = async (queries: Queries, serverId: string): Promise<boolean> =>
  (await newsFor(queries, { serverId })).length > 0;

const withNews = statement<object, { server_id: string }>((db) =>
  db.selectFrom('deployments').select('deployments.server_id').distinct().where(unfinished).where(news),
);

/** Cheap for idle servers: unfinished deployments are few and have their own index. */
export const serversWithNews = async (queries: Queries): Promise<string[]> =>
  (await withNews(queries, {})).map(({ server_id }) => server_id);

const byId = statement<{ id: string; accountId: string }, DeploymentRow>((db, p) =>
  db.selectFrom('deployments').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
);

export async function findDeployment(queries: Queries, scope: Scope, id: string): Promise<DeploymentRow | undefined> {
  const [row] = await byId(queries, { id, accountId: scope.accountId });
  return scope.serverId === undefined || row?.server_id === scope.serverId ? row : undefined;
}

/** For jobs of the service, which know only the id. */
export const deploymentById = (queries: Queries, id: string): Promise<DeploymentRow | undefined> =>
  queries.db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst();

export const lockDeployment = lockById('deployments');

const unfinishedByDefinition = statement<{ definitionId: string }, DeploymentRow>((db, p) =>
  db.selectFrom('deployments').selectAll().where('definition_id', '=', p.definitionId).where(unfinished).orderBy('id'),
);

/** In the order of creation; the running one may be at any position. */
export const unfinishedOf = (queries: Queries, definitionId: string): Promise<DeploymentRow[]> =>
  unfinishedByDefinition(queries, { definitionId });

export const lockUnfinished = (tx: Tx, definitionId: string): Promise<DeploymentRow[]> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('deployments')
      .selectAll()
      .where('definition_id', '=', definitionId)
      .where(unfinished)
      .orderBy('id'),
  ).execute();

const newestOf = (queries: Queries, definitionId: string) =>
  queries.db
    .selectFrom('deployments')
    .selectAll()
    .where('definition_id', '=', definitionId)
    .orderBy('id', 'desc')
    .limit(1);

/** The last deployment that started and ended; one that never started changed nothing. */
export const lastEnded = (queries: Queries, definitionId: string): Promise<DeploymentRow | undefined> =>
  newestOf(queries, definitionId)
    .where('status', 'in', ['success', 'failed'])
    .where('started_at', 'is not', null)
    .executeTakeFirst();

/** The last success that took its secrets from the vault; heals reuse the previous values. */
export const lastOrdered = (queries: Queries, definitionId: string): Promise<DeploymentRow | undefined> =>
  newestOf(queries, definitionId).where('status', '=', 'success').where('kind', '!=', 'heal').executeTakeFirst();

/** The last success, optionally before a deployment and of a given or another revision. */
export const lastSuccess = (
  queries: Queries,
  definitionId: string,
  { before, otherThan, of }: { before?: string; otherThan?: number; of?: number } = {},
): Promise<DeploymentRow | undefined> =>
  newestOf(queries, definitionId)
    .where('status', '=', 'success')
    .$if(before !== undefined, (query) => query.where('id', '<', before as string))
    .$if(otherThan !== undefined, (query) => query.where('revision', '!=', otherThan as number))
    .$if(of !== undefined, (query) => query.where('revision', '=', of as number))
    .executeTakeFirst();

export type LogState = Pick<DeploymentRow, 'log_lines' | 'log_bytes' | 'log_source' | 'log_told'>;

const setProgress = statement<LogState & { id: string; now: number }>((db, p) =>
  db
    .updateTable('deployments')
    .set({
      log_lines: p.log_lines,
      log_bytes: p.log_bytes,
      log_source: p.log_source,
      log_told: p.log_told,
      progress_at: p.now,
      updated_at: p.now,
    })
    .where('id', '=', p.id),
);

export async function markProgress(tx: Tx, row: DeploymentRow, log: LogState): Promise<DeploymentRow> {
  await setProgress(tx, { ...log, id: row.id, now: tx.now });
  return { ...row, ...log, progress_at: tx.now, updated_at: tx.now };
}

export async function setClaim(tx: Tx, row: DeploymentRow, claimed_by: string | null): Promise<DeploymentRow> {
  await tx.db.updateTable('deployments').set({ claimed_by }).where('id', '=', row.id).execute();
  return { ...row, claimed_by };
}

/** Marks the running deployments of a cluster whose leader was replaced. Returns their ids. */
export const markInterrupted = async (tx: Tx, serverId: string): Promise<string[]> => {
  const marked = await tx.db
    .updateTable('deployments')
    .set({ interrupted_at: tx.now, updated_at: tx.now })
    .where('server_id', '=', serverId)
    .where(unfinished)
    .where('status', '=', 'running')
    .returning('id')
    .execute();
  return marked.map(({ id }) => id);
};

/** Gives an interrupted deployment to the daemon with this token. */
export async function adopt(tx: Tx, row: DeploymentRow, claimed_by: string): Promise<DeploymentRow> {
  const set = { claimed_by, interrupted_at: null, progress_at: tx.now };
  await tx.db.updateTable('deployments').set(set).where('id', '=', row.id).execute();
  return { ...row, ...set };
}

/** Restarts the deadline of running deployments on the server. */
export const restartClocks = (tx: Tx, serverId: string) => runningFrom(tx, { serverId, now: tx.now });

const runningFrom = statement<{ serverId: string; now: number }>((db, { serverId, now }) =>
  db
    .updateTable('deployments')
    .set({ progress_at: now })
    .where('server_id', '=', serverId)
    .where(unfinished)
    .where('status', '=', 'running'),
);

export async function requestCancel(tx: Tx, row: DeploymentRow): Promise<DeploymentRow> {
  const set = { cancel_requested_at: tx.now, updated_at: tx.now };
  await tx.db.updateTable('deployments').set(set).where('id', '=', row.id).execute();
  return { ...row, ...set };
}

export async function notePreparation(
  tx: Tx,
  row: DeploymentRow,
  columns: Partial<Pick<DeploymentRow, 'preparation_execution' | 'prepared_at' | 'backup_id'>>,
): Promise<DeploymentRow> {
  const set = { ...columns, updated_at: tx.now };
  await tx.db.updateTable('deployments').set(set).where('id', '=', row.id).execute();
  return { ...row, ...set };
}

/** Finds the deployments that wait for an execution: several may wait for the same address. */
export const preparedBy = (queries: Queries, executionId: string): Promise<DeploymentRow[]> =>
  queries.db
    .selectFrom('deployments')
    .selectAll()
    .where('preparation_execution', '=', executionId)
    .where(sql<SqlBool>`preparation is not null and status = 'pending'`)
    .orderBy('id')
    .execute();

/**
 * Counts deployments of all accounts by status: unfinished ones, and finished ones with an id from `first` on. Reads at
 * most `atMost` rows of each.
 */
export async function countByStatus(
  queries: Queries,
  first: string,
  atMost: number,
): Promise<Map<DeploymentRow['status'], number>> {
  const all = queries.db.selectFrom('deployments').select('status').limit(atMost);
  const recent = all.where('id', '>=', first).where(sql<SqlBool>`deployments.status not in ('pending', 'running')`);
  const counts = new Map<DeploymentRow['status'], number>();
  for (const some of [all.where(unfinished), recent]) {
    const found = await queries.db
      .selectFrom(some.as('some'))
      .select(['status', (eb) => eb.fn.countAll<number>().as('total')])
      .groupBy('status')
      .execute();
    for (const { status, total } of found) counts.set(status, total);
  }
  return counts;
}
