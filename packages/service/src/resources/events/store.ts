import type { Queries } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type EventRow = Row<'events'> & { readonly seq: number };

export interface EventFilter {
  readonly accountId: string;
  readonly type: string | undefined;
  readonly resourceId: string | undefined;
  /** Only what follows this number, oldest first. */
  readonly after: number | undefined;
}

const where = (queries: Queries, { accountId, type, resourceId, after }: EventFilter) => {
  // An event has a number from the moment it can be followed; one without is seen by nobody yet.
  let events = queries.db
    .selectFrom('events')
    .where('account_id', '=', accountId)
    .where('seq', '>', after ?? 0);
  if (type !== undefined) events = events.where('type', '=', type);
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
