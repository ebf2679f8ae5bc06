import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';

/** Limits of a component that declares none, so that a copy cannot take the server away from its original. */
const LIMITS = { cpus: 1, memory_bytes: 2 * 1024 ** 3 };

/** An address inside the container where no name server listens, so that queries for outside names fail at once. */
const NO_NAME_SERVER = ['127.0.0.1'];

/**
 * The components of a second application: own volumes, no host ports, host paths read-only, one replica, no schedules.
 * Without labels, by which programs on the server, such as proxies and schedulers, would take it for the original.
 */
export const copiedComponents = (components: readonly ManifestComponent[], uid: string): ManifestComponent[] =>
  components
    .filter(({ run }) => run !== 'schedule')
    // A copy is not worth a restore when its node is lost.
    .map(({ on_node_loss: _, ...component }) => ({
      ...component,
      replicas: 1,
      labels: {},
      ports: component.ports.map(({ host_port: _, host_ip: __, ...port }) => port),
      storage: component.storage.map((item) =>
        item.volume === undefined ? { ...item, read_only: true } : { ...item, volume: `${uid}_${item.name}` },
      ),
    }));

/**
 * Describes the access to the server that an isolated copy could use to reach it or its other applications; undefined
 * if there is none.
 */
export function accessOf({ permissions, components }: Manifest): string | undefined {
  const strong = permissions.find(
    ({ kind, needs_operator }) => needs_operator || kind === 'host_network' || kind === 'device',
  );
  if (strong) return `${strong.component} has the permission ${strong.kind}`;
  for (const { name, storage, links = [] } of components) {
    if (links[0]) return `${name} uses the instance ${links[0].instance}, whose data a copy could change`;
    const path = storage.find(({ host_path }) => host_path !== undefined && mayHaveSockets(host_path))?.host_path;
    if (path !== undefined) return `${name} mounts ${path}, where other programs have their sockets`;
  }
  return undefined;
}

/** A socket works through a read-only mount too. */
const mayHaveSockets = (path: string): boolean =>
  /^\/(run|var\/run|tmp|dev)(\/|$)|\.sock(et)?$|^\/+$|^\/var\/*$/.test(path);

export interface Isolated {
  readonly manifest: Manifest;
  readonly secretPaths: string[];
}

/**
 * Turns the manifest of an application into that of a copy named `uid`, without a way to the outside. Everything that
 * the application sees of itself stays the same, such as the host names of its components: its data may refer to it.
 * `secretPaths` are the pointers to secret values, which move along.
 */
export function isolated(manifest: Manifest, secretPaths: readonly string[], uid: string): Isolated {
  const { components, routes } = manifest;
  const copied = copiedComponents(components, uid).map((component) => ({
    ...component,
    resources: { ...LIMITS, ...component.resources },
    // Names for addresses outside, such as that of the server.
    extra_hosts: {},
    dns: NO_NAME_SERVER,
  }));
  const places = new Map(copied.map(({ name }, index) => [name, index]));
  const moved = secretPaths.flatMap((path) => {
    if (path.startsWith('/routes/')) return `/isolated${path}`;
    const [, index, rest] = /^\/components\/(\d+)(\/.*)$/.exec(path) ?? [];
    if (index === undefined) return path;
    const place = places.get(components[Number(index)]?.name ?? '');
    return place === undefined ? [] : `/components/${place}${rest}`;
  });
  return {
    manifest: {
      ...manifest,
      instance: { ...manifest.instance, uid },
      components: copied,
      routes: [],
      isolated: { routes },
    },
    secretPaths: moved,
  };
}
