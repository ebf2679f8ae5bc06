import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findIn, listOf, lockById } from '../../storage/lists.ts';
import { type Slots, shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type MigrationRow = Row<'migrations'>;
export type PartRow = Row<'migration_parts'>;
export type LineRow = Row<'migration_log'>;

export interface MigrationFilter {
  readonly accountId: string;
  readonly tenantId?: string | undefined;
  readonly status?: MigrationRow['status'] | undefined;
}

const matching =
  (filter: Slots<MigrationFilter>) =>
  (eb: ExpressionBuilder<Tables, 'migrations'>): Expression<SqlBool> =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      ...(filter.tenantId === undefined ? [] : [eb('tenant_id', '=', filter.tenantId)]),
      ...(filter.status === undefined ? [] : [eb('status', '=', filter.status)]),
    ]);

export const migrationList = listOf('migrations', matching);

export const findMigration = findIn('migrations');

export const migrationById = (queries: Queries, id: string): Promise<MigrationRow | undefined> =>
  queries.db.selectFrom('migrations').selectAll().where('id', '=', id).executeTakeFirst();

export const lockMigration = lockById('migrations');

export const noteProgress = (tx: Tx, id: string) =>
  tx.db.updateTable('migrations').set({ progress_at: tx.now }).where('id', '=', id).execute();

export const insertParts = (tx: Tx, parts: readonly NewRow<'migration_parts'>[]) =>
  parts.length === 0 ? undefined : tx.db.insertInto('migration_parts').values(parts).execute();

const partsByMigration = shapedStatement<{ migrationIds: readonly string[] }, PartRow>((db, { migrationIds }) =>
  db.selectFrom('migration_parts').selectAll().where('migration_id', 'in', migrationIds).orderBy('definition_id'),
);

/** In the order of definition ids, in which all callers lock. */
export const partsOf = async (queries: Queries, migrationIds: readonly string[]): Promise<PartRow[]> =>
  migrationIds.length === 0 ? [] : partsByMigration(queries, { migrationIds });

export const setPart = (
  tx: Tx,
  { migration_id, definition_id }: PartRow,
  columns: Partial<Pick<PartRow, 'deployment_id' | 'arrival' | 'clear_id'>>,
) =>
  tx.db
    .updateTable('migration_parts')
    .set(columns)
    .where('migration_id', '=', migration_id)
    .where('definition_id', '=', definition_id)
    .execute();

export const closeParts = (tx: Tx, migrationId: string) =>
  tx.db.updateTable('migration_parts').set({ open: 0 }).where('migration_id', '=', migrationId).execute();

export const openPartOf = (queries: Queries, definitionId: string): Promise<PartRow | undefined> =>
  queries.db
    .selectFrom('migration_parts')
    .selectAll()
    .where('definition_id', '=', definitionId)
    .where('open', '=', 1)
    .executeTakeFirst();

/** Lists the revisions that are being moved to a server. */
export const incomingOn = (
  queries: Queries,
  serverId: string,
): Promise<Pick<PartRow, 'definition_id' | 'revision'>[]> =>
  queries.db
    .selectFrom('migration_parts')
    .innerJoin('migrations', 'migrations.id', 'migration_parts.migration_id')
    .select(['migration_parts.definition_id', 'migration_parts.revision'])
    .where('migration_parts.open', '=', 1)
    .where('migrations.to_server_id', '=', serverId)
    .execute();

export const partOfDeployment = (queries: Queries, deploymentId: string): Promise<PartRow | undefined> =>
  queries.db.selectFrom('migration_parts').selectAll().where('deployment_id', '=', deploymentId).executeTakeFirst();

/** Finds migrations that an execution of the instance may concern. */
export const unfinishedOfInstance = (queries: Queries, instanceId: string): Promise<{ id: string }[]> =>
  queries.db
    .selectFrom('migration_parts')
    .innerJoin('migrations', 'migrations.id', 'migration_parts.migration_id')
    .select('migrations.id')
    .where('migration_parts.instance_id', '=', instanceId)
    .where('migrations.finished_at', 'is', null)
    .execute();

export async function addLine(tx: Tx, migrationId: string, step: string, message: string): Promise<void> {
  const { last } = await tx.db
    .selectFrom('migration_log')
    .select((eb) => eb.fn.max('number').as('last'))
    .where('migration_id', '=', migrationId)
    .executeTakeFirstOrThrow();
  const line = { migration_id: migrationId, number: Number(last ?? 0) + 1, at: tx.now, step, message };
  await tx.db.insertInto('migration_log').values(line).execute();
}

const linesById = statement<{ migrationId: string }, LineRow>((db, p) =>
  db.selectFrom('migration_log').selectAll().where('migration_id', '=', p.migrationId).orderBy('number'),
);

export const linesOf = (queries: Queries, migrationId: string): Promise<LineRow[]> =>
  linesById(queries, { migrationId });
