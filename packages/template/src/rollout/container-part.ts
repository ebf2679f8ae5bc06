import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { MAX_HOSTNAME_LENGTH } from './replacement.ts';

/**
 * Returns the fields of a component that determine its containers. Two revisions with equal fields share the
 * containers; omitted fields, such as the start order, may differ. A test checks that the daemon's planner agrees.
 */
export function containerPart(component: ManifestComponent, primary: boolean): Record<string, unknown> {
  const {
    name: _name,
    depends_on: _order,
    irreversible: _irreversible,
    schedule: _schedule,
    replicas: _replicas,
    placement: _placement,
    on_node_loss: _loss,
    run,
    host,
    hostname = host,
    aliases = [],
    storage,
    files,
    env,
    labels,
    resources,
    healthcheck,
    restart,
    ...rest
  } = component;
  const isJob = component.kind === 'job';
  return {
    ...rest,
    // The container of the primary component has the bare name of the instance.
    primary,
    ...(isJob ? { run: run === 'after_start' ? run : 'before_start' } : { restart }),
    ...(hostname.length > MAX_HOSTNAME_LENGTH ? {} : { hostname }),
    names: component.network === 'host' ? [] : [host, ...aliases],
    healthcheck: healthcheck?.disabled ? 'disabled' : healthcheck,
    ...named('storage', storage, ({ mount_path }) => mount_path, mounted),
    ...named(
      'files',
      files,
      ({ mount_path }) => mount_path,
      ({ mode, content }) => ({ mode, content }),
    ),
    ...prefixed('env', env),
    ...prefixed('labels', labels),
    ...prefixed('resources', resources),
  };
}

function mounted({ name, volume, host_path, read_only }: ManifestComponent['storage'][number]) {
  return { source: host_path ?? volume ?? name, kind: host_path === undefined ? 'volume' : 'host', read_only };
}

function prefixed(prefix: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}

function named<Item>(
  prefix: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  shown: (item: Item) => unknown,
): Record<string, unknown> {
  return prefixed(prefix, Object.fromEntries(items.map((item) => [nameOf(item), shown(item)])));
}
