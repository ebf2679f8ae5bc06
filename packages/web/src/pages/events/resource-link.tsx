import type { Event } from '@hortus/contract/resources/events';
import { Link } from '@tanstack/react-router';

const PATHS = {
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
} as const;

/** What an event is about, as a link if it has a page. */
export function ResourceLink({ event }: { event: Event }) {
  const { resource_type, resource_id, data } = event;
  // A commit is known by its subject.
  const name = String([data.name, data.subject].find((item) => typeof item === 'string' && item !== '') ?? resource_id);
  return (
    <span className="flex min-w-0 gap-1.5">
      <span className="text-ink-3">{resource_type.replaceAll('_', ' ')}</span>
      <NameLink event={event} className="truncate" title={resource_id}>
        {name}
      </NameLink>
    </span>
  );
}

function NameLink({
  event: { resource_type, resource_id, data },
  className,
  ...rest
}: {
  event: Event;
  className: string;
  title: string;
  children: string;
}) {
  const linkClass = `link ${className}`;
  if (resource_type === 'garden_commit' && typeof data.garden_id === 'string')
    return (
      <Link
        to="/gardens/$id/commits/$commit"
        params={{ id: data.garden_id, commit: resource_id }}
        className={linkClass}
        {...rest}
      />
    );
  if (!hasPath(resource_type)) return <span className={className} {...rest} />;
  return <Link to={PATHS[resource_type]} params={{ id: resource_id }} className={linkClass} {...rest} />;
}

const hasPath = (type: string): type is keyof typeof PATHS => Object.hasOwn(PATHS, type);
