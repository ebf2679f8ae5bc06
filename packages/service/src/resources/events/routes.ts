import type { Event } from '@hortus/contract/resources/events';
import type { Handlers } from '../../http/handler.ts';
import type { Pages } from '../../storage/page.ts';
import type { Storage } from '../../storage/storage.ts';
import { iso } from '../../time.ts';
import { listEvents } from './listing.ts';
import type { EventFilter, EventRow } from './store.ts';

export interface EventDeps {
  readonly storage: Storage;
  readonly pages: Pages;
}

export const eventRoutes = ({ storage, pages }: EventDeps): Handlers<'events.list'> => ({
  'events.list': async ({ principal, query }) => {
    const filter: EventFilter = {
      accountId: principal.accountId,
      ...typesOf(query.type),
      resourceType: query.resource_type,
      resourceId: query.resource_id,
      since: timeOf(query.since),
      until: timeOf(query.until),
      after: query.after,
    };
    const { data, pagination } = await listEvents({ reader: storage.reader, pages }, filter, query);
    return { success: true, data: data.map(eventRecord), pagination };
  },
});

const typesOf = (type: string | undefined): Pick<EventFilter, 'types' | 'typePrefix'> => {
  if (type === undefined) return {};
  return type.endsWith('.*') ? { typePrefix: type.slice(0, -1) } : { types: [type] };
};

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

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
