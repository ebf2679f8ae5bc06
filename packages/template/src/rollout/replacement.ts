import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';

/**
 * Tells whether a new container of a component can run while its predecessor still does. Two at once must not write to
 * the same files or use the same port of the server.
 */
export function canRunBeside({ kind, storage, ports, network }: ManifestComponent): boolean {
  if (kind !== 'service' || network === 'host') return false;
  return storage.every(({ read_only }) => read_only) && ports.every(({ host_port }) => host_port === undefined);
}

/** Returns the main component: the target of the primary route, otherwise the first service. */
export function primaryOf({ routes, components }: Pick<Manifest, 'routes' | 'components'>): string | undefined {
  const routed = routes.find((route) => route.primary)?.component;
  const service = components.find((component) => component.kind === 'service');
  return components.find(({ name }) => name === routed)?.name ?? (service ?? components[0])?.name;
}

/** Returns the components that are deployed as containers; the daemon runs scheduled jobs when they are due. */
export function deployedComponents({ components }: Pick<Manifest, 'components'>): ManifestComponent[] {
  return components.filter(({ run }) => run !== 'schedule');
}

/** Maximum length of a host name on Linux. */
export const MAX_HOSTNAME_LENGTH = 63;
