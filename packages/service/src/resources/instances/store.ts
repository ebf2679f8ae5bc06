import type { InstanceSort } from '@hortus/contract/instance-sorts';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { anyContains } from '../../storage/any-contains.ts';
import { countUpTo } from '../../storage/count-up-to.ts';
import { forUpdate } from '../../storage/locking.ts';
import { statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type InstanceRow = Row<'instances'>;

/** An instance with its names, and the template and profile of the running revision or, before that, the first one. */
export interface NamedRow extends InstanceRow {
  readonly name: string;
  readonly instance_uid: string;
  readonly template_id: string;
  readonly profile: string;
  readonly tenant_id: string | null;
}

/** Instances of an account; for a daemon, those of its own server. */
export interface Scope {
  readonly accountId: string;
  readonly serverId?: string | undefined;
}

export interface InstanceFilter extends Scope {
  readonly definitionId?: string | undefined;
  readonly status?: InstanceRow['status'] | undefined;
  readonly health?: InstanceRow['health'] | undefined;
  /** Part of the name or the instance_uid. */
  readonly q?: string | undefined;
}

interface Part {
  readonly limit: number;
  readonly offset: number;
  readonly sort?: InstanceSort | undefined;
}

type Builder = ExpressionBuilder<Tables, 'instances'>;

const inScope = (eb: Builder, scope: Scope): Expression<SqlBool>[] => [
  eb('instances.account_id', '=', scope.accountId),
  ...(scope.serverId === undefined ? [] : [eb('instances.server_id', '=', scope.serverId)]),
];

/** Excludes instances of deploy tests. */
const withoutTests = (eb: Builder): Expression<SqlBool> =>
  eb(
    'instances.definition_id',
    'not in',
    eb.selectFrom('definitions').select('definitions.id').where('definitions.test_id', 'is not', null),
  );

/** Selects by a part of the name or instance_uid; reads only the index definitions_by_name. */
const withName = (eb: Builder, accountId: string, text: string) =>
  eb
    .selectFrom('definitions as named')
    .select('named.id')
    .where('named.account_id', '=', accountId)
    .where(anyContains(['named.name', 'named.instance_uid'], text));

/** Released instances and those of deploy tests are listed only if asked for. */
const matching = (filter: InstanceFilter) => (eb: Builder) =>
  eb.and([
    ...inScope(eb, filter),
    filter.definitionId === undefined ? withoutTests(eb) : eb('instances.definition_id', '=', filter.definitionId),
    filter.status === undefined
      ? eb('instances.status', '<>', sql.lit('released' as const))
      : eb('instances.status', '=', filter.status),
    ...(filter.health === undefined ? [] : [eb('instances.health', '=', filter.health)]),
    ...(filter.q === undefined ? [] : [eb('instances.definition_id', 'in', withName(eb, filter.accountId, filter.q))]),
  ]);

/** Those that need attention first, then those that change, then those that run. An index has the same expression. */
const urgency = sql<number>`case
  when instances.status in ('failed', 'lost') then 0
  when instances.health = 'unhealthy' and instances.status = 'running' then 1
  when instances.status in ('pending', 'starting', 'restarting') or instances.health = 'starting' then 2
  when instances.status = 'running' then 3
  else 4 end`;

/** Each order ends with the id and has an index (0094-sorted-instances). */
const orders = {
  name: [sql`lower(definitions.name)`, sql`lower(definitions.instance_uid)`, sql`definitions.id`, sql`instances.id`],
  status: [urgency, sql`instances.id`],
  started_at: [sql`coalesce(instances.started_at, 9007199254740991)`, sql`instances.id`],
} as const;

const orderOf = (sort: InstanceSort | undefined) => {
  if (sort === undefined) return sql`instances.id desc`;
  const direction = sort.startsWith('-') ? sql`desc` : sql`asc`;
  const expressions = orders[sort.replace('-', '') as keyof typeof orders];
  return sql.join(expressions.map((expression) => sql`${expression} ${direction}`));
};

const named = (db: Queries['db']) =>
  db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.definition_id', '=', 'definitions.id')
        .on('revisions.number', '=', (eb) => eb.fn.coalesce('instances.revision', 'definitions.current_revision')),
    )
    .selectAll('instances')
    .select(['definitions.name', 'definitions.instance_uid', 'definitions.tenant_id'])
    .select(['revisions.template_id', 'revisions.profile']);

/** Orders and skips ids alone and reads only the rows of the page, because a row is wide and needs two joins. */
export const instancesPage = (queries: Queries, filter: InstanceFilter, { limit, offset, sort }: Part) => {
  const ids = queries.db
    .selectFrom('instances')
    .$if(
      sort === 'name' || sort === '-name',
      (query) =>
        query
          .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
          .where('definitions.account_id', '=', filter.accountId) as never,
    )
    .select('instances.id')
    .where(matching(filter))
    .orderBy(orderOf(sort))
    .limit(limit)
    .offset(offset);
  return named(queries.db).where('instances.id', 'in', ids).orderBy(orderOf(sort));
};

export const listInstances = (queries: Queries, filter: InstanceFilter, part: Part): Promise<NamedRow[]> =>
  instancesPage(queries, filter, part).execute();

export const countInstances = (queries: Queries, filter: InstanceFilter, atMost: number): Promise<number> =>
  countUpTo(queries, queries.db.selectFrom('instances').select('id').where(matching(filter)), atMost);

export const countByState = (queries: Queries, accountId: string) =>
  queries.db
    .selectFrom('instances')
    .select(['status', 'health'])
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('account_id', '=', accountId)
    .where(withoutTests)
    .groupBy(['status', 'health'])
    .execute();

/** Finds the definition and tenant of an instance. */
export const findMembership = (queries: Queries, id: string) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.definition_id', 'definitions.tenant_id'])
    .where('instances.id', '=', id)
    .executeTakeFirst();

/** Counts unreleased and running instances per tenant. */
export async function countInstancesOfTenants(
  queries: Queries,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string | null, { readonly living: number; readonly running: number }>> {
  const rows = await queries.db
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
            .then(1)
            .else(0)
            .end(),
        )
        .as('running'),
    )
    .where('definitions.tenant_id', 'in', tenantIds)
    .where('instances.status', '<>', sql.lit('released' as const))
    .groupBy('definitions.tenant_id')
    .execute();
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
  readonly definitionIds: readonly string[];
  readonly instanceUids: readonly string[];
  readonly containerNames: readonly string[];
}

/** Finds the instances that a report may mean. Released ones never come back. */
export const findReported = (queries: Queries, scope: Scope, names: Names) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .selectAll('instances')
    .select(['definitions.instance_uid', 'definitions.status as definition_status'])
    .select('definitions.container_name as name_on_server')
    .where('instances.status', '<>', sql.lit('released' as const))
    .where((eb) => eb.and(inScope(eb as unknown as Builder, scope)))
    .where((eb) =>
      eb.or([
        ...(names.definitionIds.length > 0 ? [eb('instances.definition_id', 'in', names.definitionIds)] : []),
        ...(names.instanceUids.length > 0
          ? [
              eb('definitions.instance_uid', 'in', names.instanceUids),
              eb('definitions.container_name', 'in', names.instanceUids),
            ]
          : []),
        ...(names.containerNames.length > 0 ? [eb('instances.container_name', 'in', names.containerNames)] : []),
      ]),
    )
    .orderBy('instances.id')
    .execute();

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

/** Locks in the order of ids, as all callers do, to avoid deadlocks. */
export const lockOfServer = (
  tx: Tx,
  serverId: string,
  statuses: readonly InstanceRow['status'][],
): Promise<InstanceRow[]> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('instances')
      .selectAll()
      .where('server_id', '=', serverId)
      .where('status', 'in', statuses)
      .orderBy('id'),
  ).execute();

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

export const livingByName = (queries: Queries, serverId: string, names: readonly string[]) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'definitions.container_name'])
    .where('instances.server_id', '=', serverId)
    .where('instances.status', '<>', sql.lit('released' as const))
    .where('definitions.container_name', 'in', names)
    .execute();

/** Lists unreleased instances with their names. */
export const livingWithNamesOn = (queries: Queries, serverId: string) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'instances.definition_id', 'instances.status'])
    .select(['definitions.instance_uid', 'definitions.container_name', 'definitions.name', 'definitions.tenant_id'])
    .where('instances.server_id', '=', serverId)
    .where('instances.status', '<>', sql.lit('released' as const))
    .orderBy('instances.id')
    .execute();

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
export const touchInstances = (tx: Tx, ids: readonly string[]) =>
  tx.db.updateTable('instances').set({ last_reported_at: tx.now }).where('id', 'in', ids).execute();

export const moveInstance = (tx: Tx, id: string, server_id: string) =>
  tx.db.updateTable('instances').set({ server_id, updated_at: tx.now }).where('id', '=', id).execute();

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

const watched = (queries: Queries) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'instances.account_id', 'instances.server_id', 'instances.definition_id'])
    .select(['instances.status', 'instances.health', 'instances.starts', 'definitions.name'])
    .where('definitions.test_id', 'is', null);

/** Instances that are unhealthy, failed or restarting, in all accounts. */
export const troubledInstances = (queries: Queries) =>
  watched(queries)
    .where((eb) =>
      eb.or([
        eb('instances.health', '=', sql.lit('unhealthy' as const)),
        eb('instances.status', 'in', [sql.lit('failed' as const), sql.lit('restarting' as const)]),
      ]),
    )
    .execute();

/** Instances that restarted without an order since a time, in all accounts. */
export const restartedSince = (queries: Queries, since: number) =>
  watched(queries)
    .where('instances.restarted_at', '>', since)
    .where('instances.status', '<>', sql.lit('released' as const))
    .execute();

export type WatchedInstance = Awaited<ReturnType<typeof troubledInstances>>[number];

export const statesOf = (queries: Queries, ids: readonly string[]) =>
  queries.db.selectFrom('instances').select(['id', 'status', 'health']).where('id', 'in', ids).execute();

/** Running instances with an HTTPS address, in all accounts, in the order of ids. */
export const httpsInstancesAfter = (queries: Queries, after: string, most: number) =>
  queries.db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id', 'instances.account_id', 'instances.server_id', 'instances.url', 'definitions.name'])
    .where('instances.status', '=', sql.lit('running' as const))
    .where('instances.url', 'like', 'https://%')
    .where('instances.id', '>', after)
    .orderBy('instances.id')
    .limit(most)
    .execute();
