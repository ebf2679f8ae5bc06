import { sql } from 'kysely';
import { forUpdate } from '../../storage/locking.ts';
import { shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import { type Builder, inScope, type NamedRow, named, type Scope } from './lists/store.ts';

export type InstanceRow = Row<'instances'>;

/** Finds the definition and tenant of an instance. */
export const findMembership = (queries: Queries, id: string) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.definition_id', 'definitions.tenant_id'])
    .where('instances.id', '=', id)
    .executeTakeFirst();

const instancesByTenant = shapedStatement<
  { tenantIds: readonly string[] },
  { tenant_id: string | null; living: number; running: number }
>((db, { tenantIds }) =>
  db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select('definitions.tenant_id')
    .select((eb) => eb.fn.countAll<number>().as('living'))
    .select((eb) =>
      eb.fn
        .sum<number>(
          eb
            .case()
            .when('instances.status', '=', sql.lit('running' as const))
            .then(sql.lit(1))
            .else(sql.lit(0))
            .end(),
        )
        .as('running'),
    )
    .where('definitions.tenant_id', 'in', tenantIds)
    .where('instances.status', '<>', sql.lit('released' as const))
    .groupBy('definitions.tenant_id'),
);

/** Counts unreleased and running instances per tenant. */
export async function countInstancesOfTenants(
  queries: Queries,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string | null, { readonly living: number; readonly running: number }>> {
  const rows = await instancesByTenant(queries, { tenantIds });
  return new Map(rows.map(({ tenant_id, living, running }) => [tenant_id, { living, running: Number(running) }]));
}

const namedById = statement<{ id: string; accountId: string }, NamedRow>((db, p) =>
  named(db).where('instances.id', '=', p.id).where('instances.account_id', '=', p.accountId),
);

export async function findInstance(
  queries: Queries,
  { accountId, serverId }: Scope,
  id: string,
): Promise<NamedRow | undefined> {
  const [row] = await namedById(queries, { id, accountId });
  return serverId === undefined || row?.server_id === serverId ? row : undefined;
}

export interface Names {
  readonly ids: readonly string[];
  readonly definitionIds: readonly string[];
  readonly instanceUids: readonly string[];
  readonly containerNames: readonly string[];
}

interface ReportedRow extends InstanceRow {
  readonly instance_uid: string;
  readonly definition_status: Row<'definitions'>['status'];
  readonly name_on_server: string;
}

const reported = shapedStatement<Scope & Names, ReportedRow>(
  (db, { ids, definitionIds, instanceUids, containerNames, ...scope }) =>
    db
      .selectFrom('instances')
      .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
      .selectAll('instances')
      .select(['definitions.instance_uid', 'definitions.status as definition_status'])
      .select('definitions.container_name as name_on_server')
      .where('instances.status', '<>', sql.lit('released' as const))
      .where((eb) => eb.and(inScope(eb as unknown as Builder, scope)))
      .where((eb) =>
        eb.or([
          ...(ids.length > 0 ? [eb('instances.id', 'in', ids)] : []),
          ...(definitionIds.length > 0 ? [eb('instances.definition_id', 'in', definitionIds)] : []),
          ...(instanceUids.length > 0
            ? [eb('definitions.instance_uid', 'in', instanceUids), eb('definitions.container_name', 'in', instanceUids)]
            : []),
          ...(containerNames.length > 0 ? [eb('instances.container_name', 'in', containerNames)] : []),
        ]),
      )
      .orderBy('instances.id'),
);

/** Finds the instances that a report may mean. Released ones never come back. */
export const findReported = (queries: Queries, { accountId, serverId }: Scope, names: Names): Promise<ReportedRow[]> =>
  reported(queries, { accountId, serverId, ...names });

const byId = statement<{ id: string }, InstanceRow>((db, p, engine) =>
  forUpdate({ engine }, db.selectFrom('instances').selectAll().where('id', '=', p.id)),
);

export const lockInstance = async (tx: Tx, id: string): Promise<InstanceRow | undefined> => (await byId(tx, { id }))[0];

const livingOf = (queries: Queries, definitionId: string) =>
  queries.db
    .selectFrom('instances')
    .selectAll()
    .where('definition_id', '=', definitionId)
    .where('status', '<>', sql.lit('released' as const));

export const findLiving = (queries: Queries, definitionId: string): Promise<InstanceRow | undefined> =>
  livingOf(queries, definitionId).executeTakeFirst();

export const lockLiving = (tx: Tx, definitionId: string): Promise<InstanceRow | undefined> =>
  forUpdate(tx, livingOf(tx, definitionId)).executeTakeFirst();

interface OnServer {
  readonly serverId: string;
  readonly statuses: readonly InstanceRow['status'][];
}

const onServer = shapedStatement<OnServer, InstanceRow>((db, { serverId, statuses }, engine) =>
  forUpdate(
    { engine },
    db
      .selectFrom('instances')
      .selectAll()
      .where('server_id', '=', serverId)
      .where('status', 'in', statuses)
      .orderBy('id'),
  ),
);

/** Locks in the order of ids, as all callers do, to avoid deadlocks. */
export const lockOfServer = (
  tx: Tx,
  serverId: string,
  statuses: readonly InstanceRow['status'][],
): Promise<InstanceRow[]> => onServer(tx, { serverId, statuses });

/** Lists unreleased instances in any state. */
export const livingOn = (
  queries: Queries,
  serverId: string,
): Promise<Pick<InstanceRow, 'definition_id' | 'revision'>[]> =>
  queries.db
    .selectFrom('instances')
    .select(['definition_id', 'revision'])
    .where('server_id', '=', serverId)
    .where('status', '<>', sql.lit('released' as const))
    .execute();

const byName = shapedStatement<
  { readonly serverId: string; readonly names: readonly string[] },
  { id: string; container_name: string }
>((db, { serverId, names }) =>
  db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'definitions.container_name'])
    .where('instances.server_id', '=', serverId)
    .where('instances.status', '<>', sql.lit('released' as const))
    .where('definitions.container_name', 'in', names),
);

export const livingByName = (queries: Queries, serverId: string, names: readonly string[]) =>
  byName(queries, { serverId, names });

/** Lists unreleased instances with their names. */
export const livingWithNamesOn = (queries: Queries, serverId: string): Promise<LivingRow[]> =>
  livingNamed(queries, { serverId });

export type LivingRow = Pick<InstanceRow, 'id' | 'definition_id' | 'status'> &
  Pick<Row<'definitions'>, 'instance_uid' | 'container_name' | 'name' | 'tenant_id'>;

const livingNamed = statement<{ serverId: string }, LivingRow>((db, p) =>
  db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'instances.definition_id', 'instances.status'])
    .select(['definitions.instance_uid', 'definitions.container_name', 'definitions.name', 'definitions.tenant_id'])
    .where('instances.server_id', '=', p.serverId)
    .where('instances.status', '<>', sql.lit('released' as const))
    .orderBy('instances.id'),
);

export async function countRunningOn(queries: Queries, serverId: string): Promise<number> {
  const { total } = await queries.db
    .selectFrom('instances')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('server_id', '=', serverId)
    .where('status', 'in', ['starting', 'running', 'restarting'])
    .executeTakeFirstOrThrow();
  return total;
}

/** Updates only the report time, in one statement for all. */
const touch = shapedStatement<{ readonly ids: readonly string[]; readonly now: number }>(
  (db, { ids, now }) => db.updateTable('instances').set({ last_reported_at: now }).where('id', 'in', ids) as never,
);

export const touchInstances = (tx: Tx, ids: readonly string[]) => touch(tx, { ids, now: tx.now });

export const moveInstance = (tx: Tx, id: string, columns: Pick<InstanceRow, 'server_id' | 'components'>) =>
  tx.db
    .updateTable('instances')
    .set({ ...columns, updated_at: tx.now })
    .where('id', '=', id)
    .execute();

export const writeComponents = (tx: Tx, id: string, components: string) =>
  tx.db
    .updateTable('instances')
    .set({ components, last_reported_at: tx.now, updated_at: tx.now })
    .where('id', '=', id)
    .execute();

export const writeDrift = (tx: Tx, id: string, columns: Pick<InstanceRow, 'drift' | 'drifted_at'>) =>
  tx.db
    .updateTable('instances')
    .set({ ...columns, updated_at: tx.now })
    .where('id', '=', id)
    .execute();

export const lockDrifted = async (tx: Tx, definitionId: string): Promise<InstanceRow | undefined> => {
  const row = await lockLiving(tx, definitionId);
  return row?.drifted_at === null ? undefined : row;
};

export const setHealed = (tx: Tx, id: string, columns: { heals: number; healed_at: number }) =>
  tx.db.updateTable('instances').set(columns).where('id', '=', id).execute();

const definitionById = statement<{ id: string }, { definition_id: string }>((db, p) =>
  db.selectFrom('instances').select('definition_id').where('id', '=', p.id),
);

export const definitionOfInstance = async (queries: Queries, id: string): Promise<string | undefined> =>
  (await definitionById(queries, { id }))[0]?.definition_id;

const revisionById = statement<{ id: string }, { revision: number | null }>((db, p) =>
  db.selectFrom('instances').select('revision').where('definition_id', '=', p.id).where('status', '!=', 'released'),
);

/** Finds the revision of the unreleased instance. */
export const livingRevision = async (queries: Queries, definitionId: string): Promise<number | null> =>
  (await revisionById(queries, { id: definitionId }))[0]?.revision ?? null;

/** Returns the deployed revision of every definition of an account that has an unreleased instance. */
export async function deployedRevisions(
  queries: Queries,
  accountId: string,
): Promise<ReadonlyMap<string, number | null>> {
  const rows = await queries.db
    .selectFrom('instances')
    .select(['definition_id', 'revision'])
    .where('account_id', '=', accountId)
    .where('status', '<>', sql.lit('released' as const))
    .execute();
  return new Map(rows.map(({ definition_id, revision }) => [definition_id, revision]));
}
