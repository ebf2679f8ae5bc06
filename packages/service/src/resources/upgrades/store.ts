import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { findIn, list, lockById, lockIn } from '../../storage/lists.ts';
import type { Slots } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type UpgradeRow = Row<'upgrades'>;

/** An upgrade with the choices of the running revision. */
export interface ChosenRow extends UpgradeRow {
  readonly instance_name: string;
  readonly profile: string;
  readonly variant: string | null;
  readonly inputs: string;
  readonly secret_inputs: string;
  readonly running_revision: number | null;
  readonly running_template_id: string;
}

export interface UpgradeFilter {
  readonly accountId: string;
  readonly id?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly definitionId?: string | undefined;
  readonly serverId?: string | undefined;
  readonly species?: string | undefined;
  readonly status?: UpgradeRow['status'] | undefined;
}

/** Waiting for a decision. An instance has at most one such upgrade. */
const open = ['available', 'acknowledged'] as const;

type Builder = ExpressionBuilder<Tables, 'upgrades' | 'instances' | 'revisions'>;

/** An open upgrade must still apply: its instance exists and runs the version it starts from. */
const isCurrent = (eb: Builder): Expression<SqlBool> =>
  eb.or([
    eb('upgrades.status', 'not in', open),
    eb.and([
      eb('instances.status', '<>', sql.lit('released' as const)),
      eb('revisions.template_id', '=', eb.ref('upgrades.from_template_id')),
    ]),
  ]);

const matching = (filter: UpgradeFilter | Slots<UpgradeFilter>) => (eb: Builder) => {
  const equal = [
    ['upgrades.id', filter.id],
    ['upgrades.instance_id', filter.instanceId],
    ['upgrades.definition_id', filter.definitionId],
    ['upgrades.server_id', filter.serverId],
    ['upgrades.species', filter.species],
    ['upgrades.status', filter.status],
  ] as const;
  return eb.and([
    eb('upgrades.account_id', '=', filter.accountId),
    ...equal.flatMap(([column, value]) => (value === undefined ? [] : [eb(column, '=', value as never)])),
    isCurrent(eb),
  ]);
};

const currentUpgrades = (db: Kysely<Tables>, filter: UpgradeFilter | Slots<UpgradeFilter>) =>
  db
    .selectFrom('upgrades')
    .innerJoin('instances', 'instances.id', 'upgrades.instance_id')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.definition_id', '=', 'instances.definition_id')
        .onRef('revisions.number', '=', 'instances.revision'),
    )
    .where(matching(filter));

export const upgradeList = list<UpgradeFilter, ChosenRow>('upgrades', {
  page: (db, filter, { limit, offset }) =>
    currentUpgrades(db, filter)
      .innerJoin('definitions', 'definitions.id', 'upgrades.definition_id')
      .selectAll('upgrades')
      .select('definitions.name as instance_name')
      .select(['revisions.profile', 'revisions.variant', 'revisions.inputs', 'revisions.secret_inputs'])
      .select(['instances.revision as running_revision', 'revisions.template_id as running_template_id'])
      .orderBy('upgrades.id', 'desc')
      .limit(limit)
      .offset(offset),
  all: (db, filter) => currentUpgrades(db, filter).select('upgrades.id'),
});

/** Finds an upgrade with the choices of the running revision. */
export const findChosen = async (queries: Queries, accountId: string, id: string): Promise<ChosenRow | undefined> =>
  (await upgradeList(queries, { accountId, id }).rows(1, 0))[0];

export const lockUpgrade = lockIn('upgrades');

export const lockUpgradeById = lockById('upgrades');

export const findUpgrade = findIn('upgrades');

/** Lists the ids of open upgrades, oldest first. */
export async function oldestOpen(queries: Queries, filter: UpgradeFilter, limit: number): Promise<string[]> {
  const rows = currentUpgrades(queries.db, filter).select('upgrades.id').where('upgrades.status', 'in', open);
  return (await rows.orderBy('upgrades.id').limit(limit).execute()).map(({ id }) => id);
}

/** Lists the upgrades that an account may apply, in the order of ids; those of deploy tests are left out. */
export const availableAfter = (queries: Queries, accountId: string, after: string, max: number) =>
  currentUpgrades(queries.db, { accountId, status: 'available' })
    .innerJoin('definitions', 'definitions.id', 'upgrades.definition_id')
    .select(['upgrades.id', 'upgrades.instance_id', 'upgrades.server_id', 'upgrades.species', 'upgrades.created_at'])
    .select('definitions.name')
    .where('definitions.test_id', 'is', null)
    .where('upgrades.id', '>', after)
    .orderBy('upgrades.id')
    .limit(max)
    .execute();

/** Finds the upgrades that wait for one of these deployments or executions. */
export const upgradesWaitingFor = (queries: Queries, ids: readonly string[]) =>
  queries.db
    .selectFrom('upgrades')
    .select('id')
    .where('status', '=', sql.lit('applying' as const))
    .where((eb) =>
      eb.or([eb('deployment_id', 'in', ids), eb('backup_execution', 'in', ids), eb('return_id', 'in', ids)]),
    )
    .execute();

/** Finds the upgrade that waits for a rehearsal. */
export const upgradesRehearsedBy = (queries: Queries, rehearsalId: string) =>
  queries.db
    .selectFrom('upgrades')
    .select('id')
    .where('status', '=', sql.lit('applying' as const))
    .where('rehearsal_id', '=', rehearsalId)
    .execute();

type Progress = Partial<Omit<UpgradeRow, 'id' | 'status'>>;

/** Writes columns other than the status. */
export const noteUpgrade = (tx: Tx, id: string, columns: Progress) =>
  tx.db.updateTable('upgrades').set(columns).where('id', '=', id).execute();

export interface ScanScope {
  readonly accountId?: string | undefined;
  readonly instanceId?: string | undefined;
  /** Only instances that run one of these. */
  readonly templateIds?: readonly string[] | undefined;
}

/** Lists running instances with their templates, in the order of ids, after the given one. */
export const runningInstances = (queries: Queries, scope: ScanScope, after: string, limit: number) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.definition_id', '=', 'instances.definition_id')
        .onRef('revisions.number', '=', 'instances.revision'),
    )
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    // Copies are removed soon, and their originals have the same upgrades.
    .where('definitions.copy_of', 'is', null)
    .select(['instances.id', 'instances.account_id', 'instances.definition_id', 'instances.server_id'])
    .select('revisions.template_id')
    .where('instances.status', '<>', sql.lit('released' as const))
    .where('instances.id', '>', after)
    .$if(scope.accountId !== undefined, (query) => query.where('instances.account_id', '=', scope.accountId as string))
    .$if(scope.instanceId !== undefined, (query) => query.where('instances.id', '=', scope.instanceId as string))
    .$if(scope.templateIds !== undefined, (query) =>
      query.where('revisions.template_id', 'in', scope.templateIds as readonly string[]),
    )
    .orderBy('instances.id')
    .limit(limit)
    .execute();

export type RunningRow = Awaited<ReturnType<typeof runningInstances>>[number];

export const upgradesOf = (queries: Queries, instanceIds: readonly string[]): Promise<UpgradeRow[]> =>
  queries.db.selectFrom('upgrades').selectAll().where('instance_id', 'in', instanceIds).orderBy('id').execute();

/** Removes those that are still open. */
export async function forgetOpen(tx: Tx, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const gone = await tx.db
    .deleteFrom('upgrades')
    .where('id', 'in', ids)
    .where('status', 'in', open)
    .returning('id')
    .execute();
  return gone.length;
}

/** Removes open upgrades to a template; if one has been ordered, keeps all and returns false. */
export async function forgetOffersOf(tx: Tx, templateId: string): Promise<boolean> {
  const to = (eb: ExpressionBuilder<Tables, 'upgrades'>) => eb('to_template_id', '=', templateId);
  const offered = (eb: ExpressionBuilder<Tables, 'upgrades'>) =>
    eb.and([to(eb), eb('status', 'in', open), eb('batch', 'is', null)]);
  const others = tx.db
    .selectFrom('upgrades')
    .select('id')
    .where(to)
    .where((eb) => eb.not(offered(eb)));
  if ((await others.limit(1).execute()).length > 0) return false;
  await tx.db.deleteFrom('upgrades').where(offered).execute();
  return true;
}
