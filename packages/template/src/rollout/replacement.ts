import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';

/**
 * Whether a new container of a component can run while its predecessor still does. Two at once must not write to the same files,
 * nor want the same port of the server.
 */
export function canRunBeside({ kind, storage, ports, network }: ManifestComponent): boolean {
  if (kind !== 'service' || network === 'host') return false;
  return storage.every(({ read_only }) => read_only) && ports.every(({ host_port }) => host_port === undefined);
}

/** The component a person thinks of as the application: where the primary route leads, else the first service. */
export function primaryOf({ routes, components }: Pick<Manifest, 'routes' | 'components'>): string | undefined {
  const routed = routes.find((route) => route.primary)?.component;
  const service = components.find((component) => component.kind === 'service');
  return components.find(({ name }) => name === routed)?.name ?? (service ?? components[0])?.name;
}

/** What is deployed as containers; a scheduled job is run by the daemon when its time has come. */
export function deployedComponents({ components }: Pick<Manifest, 'components'>): ManifestComponent[] {
  return components.filter(({ run }) => run !== 'schedule');
}

/** Linux does not take longer host names. */
export const LONGEST_HOSTNAME = 63;
