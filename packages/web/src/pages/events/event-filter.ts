import type { Event } from '@hortus/contract/resources/events';
import type { SearchOf } from '../../parts/list-search.ts';

/** What the list is narrowed to; the query of the endpoint. */
export interface EventFilter {
  readonly type?: string;
  readonly resource_type?: string;
  readonly resource_id?: string;
  readonly tenant_id?: string;
  readonly since?: string;
  readonly until?: string;
}

/** The filter of a URL. Days are those of the person: `since` begins at its midnight, `until` includes its day. */
export function filterOf(search: SearchOf<'/frame/events'>): EventFilter {
  const { type, resource_type, resource_id, tenant_id } = search;
  const day = (date: string | undefined, time: string) => {
    const at = Date.parse(`${date}T${time}`);
    return Number.isNaN(at) ? undefined : new Date(at).toISOString();
  };
  const input = {
    type,
    resource_type,
    resource_id,
    tenant_id,
    since: day(search.since, '00:00:00'),
    until: day(search.until, '23:59:59.999'),
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

/** Tells whether an event of the stream belongs into the list, by the rules of the endpoint. */
export function passes(event: Event, filter: EventFilter): boolean {
  const { type, resource_type, resource_id, tenant_id, since, until } = filter;
  // Which resources belong to a tenant is known to the service only.
  if (tenant_id !== undefined) return false;
  if (type?.endsWith('.*') && !event.type.startsWith(type.slice(0, -1))) return false;
  if (type !== undefined && !type.endsWith('.*') && event.type !== type) return false;
  if (resource_type !== undefined && event.resource_type !== resource_type) return false;
  if (resource_id !== undefined && event.resource_id !== resource_id) return false;
  const at = Date.parse(event.created_at);
  return (since === undefined || at >= Date.parse(since)) && (until === undefined || at < Date.parse(until));
}
