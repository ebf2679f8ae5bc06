import { sql } from 'kysely';
import type { Queries } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type EventRow = Row<'events'> & { readonly seq: number };

export interface EventFilter {
  readonly accountId: string;
  readonly types?: readonly string[] | undefined;
  readonly typePrefix?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only events after this sequence number, oldest first. */
  readonly after?: number | undefined;
}

const where = (queries: Queries, filter: EventFilter) => {
  const { accountId, types, typePrefix, resourceType, resourceId, since, until, after } = filter;
  // Events without a sequence number are not visible yet.
  let events = queries.db
    .selectFrom('events')
    .where('account_id', '=', accountId)
    .where('seq', '>', after ?? 0);
  if (types !== undefined) events = events.where('type', 'in', types);
  // Not a range comparison, because collation depends on the database; not LIKE, because of % and _.
  if (typePrefix !== undefined)
    events = events.where(sql`substr(type, 1, ${sql.lit(typePrefix.length)})`, '=', typePrefix);
  if (resourceType !== undefined) events = events.where('resource_type', '=', resourceType);
  if (since !== undefined) events = events.where('created_at', '>=', since);
  if (until !== undefined) events = events.where('created_at', '<', until);
  if (resourceId !== undefined) events = events.where('resource_id', '=', resourceId);
  return events;
};

export const eventsOf = async (
  queries: Queries,
  filter: EventFilter,
  limit: number,
  offset: number,
): Promise<EventRow[]> => {
  const order = filter.after === undefined ? 'desc' : 'asc';
  const rows = await where(queries, filter).selectAll().orderBy('seq', order).limit(limit).offset(offset).execute();
  return rows as EventRow[];
};

export const countEvents = async (queries: Queries, filter: EventFilter, atMost: number): Promise<number> => {
  const { count } = await queries.db
    .selectFrom(where(queries, filter).select('seq').limit(atMost).as('events'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

export const countByDay = async (
  queries: Queries,
  { dayMs, ...filter }: EventFilter & { readonly dayMs: number },
): Promise<{ type: string; day: number; total: number }[]> => {
  // Integer division rounds down on both engines.
  const day = sql<number>`created_at / ${sql.lit(dayMs)}`;
  const rows = await where(queries, filter)
    .select(['type', day.as('day')])
    .select((select) => select.fn.countAll<number>().as('total'))
    .groupBy(['type', day])
    .execute();
  return rows.map((row) => ({ type: row.type, day: Number(row.day), total: Number(row.total) }));
};
