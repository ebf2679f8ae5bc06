import type { Event } from '@hortus/contract/resources/events';
import type { Handlers } from '../../http/handler.ts';
import type { Pages } from '../../storage/page.ts';
import type { Storage } from '../../storage/storage.ts';
import { iso } from '../../time.ts';
import { countEvents, type EventFilter, type EventRow, eventsOf } from './store.ts';

export interface EventDeps {
  readonly storage: Storage;
  readonly pages: Pages;
}

export const eventRoutes = ({ storage, pages }: EventDeps): Handlers<'events.list'> => ({
  'events.list': async ({ principal, query }) => {
    const filter: EventFilter = {
      accountId: principal.accountId,
      type: query.type,
      resourceId: query.resource_id,
      after: query.after,
    };
    const { data, pagination } = await pages.read(query, {
      rows: (limit, offset) => eventsOf(storage.reader, filter, limit, offset),
      count: (atMost) => countEvents(storage.reader, filter, atMost),
      countKey: `events ${JSON.stringify(filter)}`,
    });
    return { success: true, data: data.map(eventRecord), pagination };
  },
});

const eventRecord = (row: EventRow): Event => ({
  id: row.id,
  seq: row.seq,
  type: row.type,
  account_id: row.account_id,
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  created_at: iso(row.created_at),
  actor: row.actor,
  data: JSON.parse(row.data),
});
