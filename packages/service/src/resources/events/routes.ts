import type { QueryOf } from '@hortus/contract/endpoint';
import type { Endpoints } from '@hortus/contract/endpoints';
import type { Handlers, LiveHandlers } from '../../http/handler.ts';
import type { Principal } from '../../identity/principal.ts';
import { invalid } from '../../problem.ts';
import type { Pages } from '../../storage/page.ts';
import type { Storage } from '../../storage/storage.ts';
import { type FollowDeps, followEvents } from './follow.ts';
import { listEvents } from './listing.ts';
import { eventRecord } from './record.ts';
import type { EventFilter } from './store.ts';

export interface EventDeps {
  readonly storage: Storage;
  readonly pages: Pages;
}

export const eventRoutes = ({ storage, pages }: EventDeps): Handlers<'events.list'> => ({
  'events.list': async ({ principal, query }) => {
    const filter = { ...filterOf(principal, query), after: query.after };
    const { data, pagination } = await listEvents({ reader: storage.reader, pages }, filter, query);
    return { success: true, data: data.map(eventRecord), pagination };
  },
});

export const eventStreams = (deps: FollowDeps): LiveHandlers<'events.list'> => ({
  'events.list': async ({ principal, query, lastEventId }) =>
    followEvents(deps, filterOf(principal, query), lastEventId === undefined ? query.after : seqOf(lastEventId)),
});

const filterOf = ({ accountId }: Principal, query: QueryOf<Endpoints['events.list']>): EventFilter => ({
  accountId,
  ...typesOf(query.type),
  resourceType: query.resource_type,
  resourceId: query.resource_id,
  tenantId: query.tenant_id,
  since: timeOf(query.since),
  until: timeOf(query.until),
});

function seqOf(lastEventId: string): number {
  const seq = /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (!Number.isSafeInteger(seq)) throw invalid('Last-Event-ID', 'must be the seq of an event.');
  return seq;
}

const typesOf = (type: string | undefined): Pick<EventFilter, 'types' | 'typePrefix'> => {
  if (type === undefined) return {};
  return type.endsWith('.*') ? { typePrefix: type.slice(0, -1) } : { types: [type] };
};

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
