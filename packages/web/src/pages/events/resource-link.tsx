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
  garden: '/gardens/$id',
  daemon_update: '/daemon-updates/$id',
};
const COMMIT = '/gardens/$id/commits/$commit';

/** What an event is about, as a link if it has a page. */
export function ResourceLink({ event: { resource_type, resource_id, data } }: { event: Event }) {
  // A commit is known by its subject.
  const name = String([data.name, data.subject].find((one) => typeof one === 'string' && one !== '') ?? resource_id);
  const ofCommit = resource_type === 'garden_commit' && typeof data.garden_id === 'string';
  const to = ofCommit ? COMMIT : PLACES[resource_type];
  const params: Record<string, string> = ofCommit
    ? { id: String(data.garden_id), commit: resource_id }
    : { id: resource_id };
  return (
    <span className="flex min-w-0 gap-1.5">
      <span className="text-ink-3">{resource_type.replaceAll('_', ' ')}</span>
      {to ? (
        <PlaceLink to={to} params={params} className="link truncate" title={resource_id}>
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
