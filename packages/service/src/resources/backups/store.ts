import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { findIn, listOf, lockIn } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import type { Slots } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type BackupRow = Row<'backups'>;
export type PlanRow = Row<'backup_plans'>;

export interface BackupFilter {
  readonly accountId: string;
  readonly instanceId?: string | undefined;
  readonly definitionId?: string | undefined;
  readonly serverId?: string | undefined;
  readonly kind?: BackupRow['kind'] | undefined;
  readonly status?: BackupRow['status'] | undefined;
}

/** Excludes deleted backups unless the filter asks for them. */
const matching = (filter: Slots<BackupFilter>) => (eb: ExpressionBuilder<Tables, 'backups'>) => {
  const equal = [
    ['instance_id', filter.instanceId],
    ['definition_id', filter.definitionId],
    ['server_id', filter.serverId],
    ['kind', filter.kind],
  ] as const;
  const conditions: Expression<SqlBool>[] = [
    eb('account_id', '=', filter.accountId),
    ...equal.flatMap(([column, value]) => (value === undefined ? [] : [eb(column, '=', value as never)])),
    filter.status === undefined ? eb('status', '<>', sql.lit('deleted' as const)) : eb('status', '=', filter.status),
  ];
  return eb.and(conditions);
};

export const backupList = listOf('backups', matching);

export const findBackup = findIn('backups');

export const lockBackup = lockIn('backups');

type Noted = Partial<Pick<BackupRow, 'verified_at' | 'proof' | 'verify_error'>>;

/** Writes columns other than the status. */
export const noteBackup = (tx: Tx, id: string, columns: Noted) =>
  tx.db
    .updateTable('backups')
    .set({ ...columns, updated_at: tx.now })
    .where('id', '=', id)
    .execute();

/** Lists restorable backups of a definition, newest first. */
export const completedOf = (queries: Queries, definitionId: string): Promise<BackupRow[]> =>
  queries.db
    .selectFrom('backups')
    .selectAll()
    .where('definition_id', '=', definitionId)
    .where('status', '=', sql.lit('completed' as const))
    .orderBy('id', 'desc')
    .execute();

export const writePlan = (tx: Tx, plan: NewRow<'backup_plans'>) =>
  tx.db
    .insertInto('backup_plans')
    .values(plan)
    .onConflict((conflict) => conflict.column('definition_id').doUpdateSet(plan))
    .execute();

export const dropPlan = (tx: Tx, definitionId: string) =>
  tx.db.deleteFrom('backup_plans').where('definition_id', '=', definitionId).execute();

type Due = 'due_at' | 'verify_due_at';

export const findPlan = (queries: Queries, definitionId: string): Promise<PlanRow | undefined> =>
  queries.db.selectFrom('backup_plans').selectAll().where('definition_id', '=', definitionId).executeTakeFirst();

export const lockPlan = (tx: Tx, definitionId: string): Promise<PlanRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('backup_plans').selectAll().where('definition_id', '=', definitionId),
  ).executeTakeFirst();

export const setDue = (tx: Tx, definitionId: string, columns: Partial<Pick<PlanRow, Due>>) =>
  tx.db.updateTable('backup_plans').set(columns).where('definition_id', '=', definitionId).execute();

/** Schedules of running instances with their newest backup, in all accounts, in the order of definitions. */
export const scheduledAfter = (queries: Queries, after: string, max: number) =>
  queries.db
    .selectFrom('backup_plans')
    .innerJoin('instances', 'instances.definition_id', 'backup_plans.definition_id')
    .innerJoin('definitions', 'definitions.id', 'backup_plans.definition_id')
    .select(['backup_plans.definition_id', 'backup_plans.account_id', 'backup_plans.schedule', 'definitions.name'])
    .select(['instances.id as instance_id', 'instances.server_id', 'instances.created_at as instance_created_at'])
    .select((eb) =>
      eb
        .selectFrom('backups')
        .select((of) => of.fn.max('backups.created_at').as('newest'))
        .whereRef('backups.definition_id', '=', 'backup_plans.definition_id')
        .where('backups.status', '=', sql.lit('completed' as const))
        .as('newest'),
    )
    .where('backup_plans.schedule', 'is not', null)
    .where('instances.status', '=', sql.lit('running' as const))
    .where('backup_plans.definition_id', '>', after)
    .orderBy('backup_plans.definition_id')
    .limit(max)
    .execute();
