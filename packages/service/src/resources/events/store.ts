import { type Kysely, sql } from 'kysely';
import { lastSeq } from '../../outbox/store.ts';
import { list } from '../../storage/lists.ts';
import { type Slots, shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type EventRow = Row<'events'> & { readonly seq: number };

export interface EventFilter {
  readonly accountId: string;
  readonly types?: readonly string[] | undefined;
  readonly typePrefix?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Only events of this tenant and of what belongs to it now. */
  readonly tenantId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only events after this sequence number, oldest first. */
  readonly after?: number | undefined;
}

type Filtered = Slots<EventFilter, 'types'>;

const where = (db: Kysely<Tables>, filter: Filtered) => {
  const { accountId, types, typePrefix, resourceType, resourceId, tenantId, since, until, after } = filter;
  // Events without a sequence number are not visible yet.
  let events = db
    .selectFrom('events')
    .where('account_id', '=', accountId)
    .where('seq', '>', after ?? 0);
  if (types !== undefined) events = events.where('type', 'in', types);
  // Not a range comparison, because collation depends on the database; not LIKE, because of % and _.
  if (typePrefix !== undefined)
    events = events.where(sql`substr(type, 1, length(cast(${typePrefix} as text)))`, '=', typePrefix);
  if (resourceType !== undefined) events = events.where('resource_type', '=', resourceType);
  if (since !== undefined) events = events.where('created_at', '>=', since);
  if (until !== undefined) events = events.where('created_at', '<', until);
  if (resourceId !== undefined) events = events.where('resource_id', '=', resourceId);
  if (tenantId !== undefined)
    events = events.where('resource_id', 'in', belongings(db).select('id').where('tenant_id', '=', tenantId));
  return events;
};

/** Pairs of the ids of resources and of the tenants to which they belong. */
const belongings = (db: Kysely<Tables>) => {
  const tenant = 'definitions.tenant_id as tenant_id' as const;
  const own = db.selectFrom('tenants').select(['id', (of) => of.ref('id').$castTo<string | null>().as('tenant_id')]);
  const definitions = db.selectFrom('definitions').select(['id', 'tenant_id']);
  const instances = db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['instances.id as id', tenant]);
  const deployments = db
    .selectFrom('deployments')
    .innerJoin('definitions', 'definitions.id', 'deployments.definition_id')
    .select(['deployments.id as id', tenant]);
  const backups = db
    .selectFrom('backups')
    .innerJoin('definitions', 'definitions.id', 'backups.definition_id')
    .select(['backups.id as id', tenant]);
  const executions = db
    .selectFrom('executions')
    .innerJoin('instances', 'instances.id', 'executions.instance_id')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .select(['executions.id as id', tenant]);
  const migrations = db.selectFrom('migrations').select(['id', 'tenant_id']);
  const union = definitions
    .unionAll(own)
    .unionAll(instances)
    .unionAll(deployments)
    .unionAll(backups)
    .unionAll(executions)
    .unionAll(migrations);
  return db.selectFrom(union.as('belongings'));
};

/** Returns the tenants of resources, by the id of the resource. */
export const tenantsOf = async (queries: Queries, resourceIds: readonly string[]): Promise<Map<string, string>> => {
  const rows = await belongings(queries.db).select(['id', 'tenant_id']).where('id', 'in', resourceIds).execute();
  return new Map(rows.flatMap(({ id, tenant_id }) => (tenant_id === null ? [] : [[id, tenant_id] as const])));
};

const numberedAfter = statement<{ after: number; max: number }, EventRow>(
  (db, p) => db.selectFrom('events').selectAll().where('seq', '>', p.after).orderBy('seq').limit(p.max) as never,
);

/** Returns events of all accounts, in the order of `seq`. */
export const eventsAfter = (queries: Queries, of: { readonly after: number; readonly max: number }) =>
  numberedAfter(queries, of);

/** Returns the number of the oldest event that retention has kept; undefined if there are no events. */
export async function oldestSeq({ db }: Queries): Promise<number | undefined> {
  const oldest = db.selectFrom('events').select('seq').where('seq', 'is not', null).orderBy('created_at').limit(1);
  const row = await oldest.executeTakeFirst();
  return row?.seq === undefined || row.seq === null ? undefined : Number(row.seq);
}

/** Returns the highest number that a client can have seen. On SQLite events have it before they are dispatched. */
export async function newestSeq(queries: Queries): Promise<number> {
  const dispatched = await lastSeq(queries);
  if (queries.engine === 'postgres') return dispatched;
  const newest = queries.db.selectFrom('events').select('position').orderBy('position', 'desc').limit(1);
  return Math.max(dispatched, (await newest.executeTakeFirst())?.position ?? 0);
}

/** Newest first, or oldest first after a number. */
export const eventList = list<EventFilter, EventRow, 'types'>('events', {
  page: (db, filter, { limit, offset }) =>
    where(db, filter)
      .selectAll()
      .orderBy('seq', filter.after === undefined ? 'desc' : 'asc')
      .limit(limit)
      .offset(offset) as never,
  all: (db, filter) => where(db, filter).select('seq'),
  decidedBy: ['types'],
});

const byDay = shapedStatement<
  EventFilter & { readonly dayMs: number },
  { type: string; day: number; total: number },
  'types' | 'dayMs'
>(
  (db, { dayMs, ...filter }) => {
    // Integer division rounds down on both engines.
    const day = sql<number>`created_at / ${sql.lit(dayMs)}`;
    return where(db, filter)
      .select(['type', day.as('day')])
      .select((select) => select.fn.countAll<number>().as('total'))
      .groupBy(['type', day]);
  },
  ['types', 'dayMs'],
);

export const countByDay = async (queries: Queries, filter: EventFilter & { readonly dayMs: number }) =>
  (await byDay(queries, filter)).map((row) => ({ type: row.type, day: Number(row.day), total: Number(row.total) }));
