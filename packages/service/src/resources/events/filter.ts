import type { EventFilter, EventRow } from './store.ts';

/** Tells whether an event of the feed matches; the same conditions as in `store.ts`. */
export function matches(filter: EventFilter, event: EventRow, tenantId: string | undefined): boolean {
  const { types, typePrefix, resourceType, resourceId, since, until } = filter;
  return (
    event.account_id === filter.accountId &&
    (types === undefined || types.includes(event.type)) &&
    (typePrefix === undefined || event.type.startsWith(typePrefix)) &&
    (resourceType === undefined || event.resource_type === resourceType) &&
    (resourceId === undefined || event.resource_id === resourceId) &&
    (filter.tenantId === undefined || tenantId === filter.tenantId) &&
    (since === undefined || event.created_at >= since) &&
    (until === undefined || event.created_at < until)
  );
}
