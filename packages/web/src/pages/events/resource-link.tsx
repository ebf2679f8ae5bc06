import type { Event } from '@hortus/contract/resources/events';
import { PlaceLink } from '../../frame/place-link.tsx';

const PLACES: Readonly<Record<string, string>> = {
  server: '/servers/$id',
  instance: '/instances/$id',
  definition: '/definitions/$id',
  deployment: '/deployments/$id',
  webhook: '/webhooks/$id',
  tenant: '/tenants/$id',
  upgrade: '/upgrades/$id',
  recipe: '/recipes/$id',
  confirmation: '/confirmations/$id',
};

/** What an event is about, as a link if it has a page. */
export function ResourceLink({ event: { resource_type, resource_id, data } }: { event: Event }) {
  const name = typeof data.name === 'string' ? data.name : resource_id;
  const to = PLACES[resource_type];
  return (
    <span className="flex min-w-0 gap-1.5">
      <span className="text-ink-3">{resource_type.replaceAll('_', ' ')}</span>
      {to ? (
        <PlaceLink to={to} params={{ id: resource_id }} className="link truncate" title={resource_id}>
          {name}
        </PlaceLink>
      ) : (
        <span className="truncate" title={resource_id}>
          {name}
        </span>
      )}
    </span>
  );
}
