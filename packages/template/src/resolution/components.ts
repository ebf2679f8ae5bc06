import { DEFAULT_LOG, DEFAULT_PIDS, DROPPED_CAPABILITIES } from '@hortus/contract/template/container-defaults';
import type { ManifestComponent, ManifestHealthcheck } from '@hortus/contract/template/manifest';
import type { CanonicalComponent, CanonicalHealthcheck } from '../canonical/canonical-form.ts';
import { imageText } from '../notation/image-reference.ts';
import type { PortRange } from '../notation/port-ranges.ts';
import { bytes, cores, milliseconds } from '../notation/quantity.ts';
import { deepFill } from './deep-fill.ts';
import { componentHost, type Scope } from './scope.ts';

const DAY = 86_400_000;

/** Ranges of ports are written out after the permissions are known, which show them as ranges. */
export type ResolvedComponent = Omit<ManifestComponent, 'ports'> & {
  ports: (ManifestComponent['ports'][number] & Pick<PortRange, 'last_port'>)[];
};

/** Fills every text of a component and converts every quantity to a number. */
export function resolveComponent(
  name: string,
  component: CanonicalComponent,
  pointer: string,
  uid: string,
  scope: Scope,
  secretPaths: string[],
): ResolvedComponent {
  const fillText = (text: string) => scope.fill(text);
  const { files: written, ...rest } = component;
  const c = deepFill(rest, pointer, fillText, secretPaths);
  const files = written.map(({ raw, ...file }, index) =>
    raw ? file : deepFill(file, `${pointer}/files/${index}`, fillText, secretPaths),
  );
  const field = (key: string) => `components.${name}.${key}`;
  const size = (key: string, text: string | undefined): number | undefined =>
    quantity(scope, field(key), text, bytes, 'a size such as 512Mi');
  const {
    image,
    healthcheck,
    resources,
    storage,
    ports,
    tmpfs,
    shm_size,
    stop_grace_period,
    ulimits,
    devices,
    logging,
    logs,
    capabilities,
    confinement,
    ...same
  } = c;
  if (image === undefined || image === '') scope.fail(field('image'), 'has no image');
  return compact({
    ...same,
    name,
    host: componentHost(uid, name),
    files: files.map((file) => ({ ...file, content: file.content ?? '' })),
    image: typeof image === 'object' ? imageText(image) : (image ?? ''),
    storage: storage.map(({ shared: _, ...mount }) =>
      mount.host_path === undefined ? { ...mount, volume: `${uid}_${mount.name}` } : mount,
    ),
    tmpfs: tmpfs.map((mount, index) =>
      compact({ mount_path: mount.mount_path, size_bytes: size(`tmpfs[${index}].size`, mount.size) }),
    ),
    shm_size_bytes: size('shm_size', shm_size),
    logging: logging
      ? { max_bytes: size('logging.max_size', logging.max_size) ?? 0, max_files: logging.max_files ?? 1 }
      : { ...DEFAULT_LOG, by_default: true as const },
    logs:
      logs &&
      compact({
        max_bytes: size('logs.max_size', logs.max_size),
        max_age_ms: logs.max_days === undefined ? undefined : logs.max_days * DAY,
      }),
    capabilities: { ...capabilities, drop: droppedOf(c) },
    // A privileged component has all privileges already.
    confinement: { ...confinement, no_new_privileges: !confinement.new_privileges && !c.privileged },
    healthcheck: healthcheck && resolveHealthcheck(healthcheck),
    resources: compact({
      cpus: quantity(scope, field('resources.cpu'), resources.cpu, (text) => cores(String(text)), 'a number of cores'),
      memory_bytes: size('resources.memory', resources.memory),
      memory_reservation_bytes: size('resources.memory_reservation', resources.memory_reservation),
      pids: resources.pids ?? DEFAULT_PIDS,
    }),
    ports: ports.map((port, index) => {
      const { host_port, ...rest } = port;
      const fixed = quantity(
        scope,
        field(`ports[${index}].host_port`),
        host_port,
        portNumber,
        'a port from 1 to 65535',
      );
      return compact({ ...rest, host_port: fixed });
    }),
    devices: devices.map((device) => ({ ...device, container_path: device.container_path ?? device.path })),
    ulimits: Object.fromEntries(
      Object.entries(ulimits).map(([key, limit]) => [
        key,
        typeof limit === 'number' ? { soft: limit, hard: limit } : limit,
      ]),
    ),
    stop_grace_period_ms: milliseconds(stop_grace_period) ?? 0,
  });
}

/** The engine gives a privileged component all capabilities, regardless of what is dropped. */
function droppedOf({
  capabilities: { add, drop },
  privileged,
}: Pick<CanonicalComponent, 'capabilities' | 'privileged'>) {
  if (privileged || add.includes('ALL') || drop.includes('ALL')) return drop;
  return [...new Set([...drop, ...DROPPED_CAPABILITIES.filter((name) => !add.includes(name))])];
}

function resolveHealthcheck(check: CanonicalHealthcheck): ManifestHealthcheck {
  const { http, tcp, test, disabled } = check;
  return compact({
    http: http && { ...http, headers: http.headers ?? {} },
    tcp,
    test,
    disabled,
    interval_ms: milliseconds(check.interval) ?? 0,
    timeout_ms: milliseconds(check.timeout) ?? 0,
    start_period_ms: milliseconds(check.start_period) ?? 0,
    retries: check.retries,
  });
}

function portNumber(text: string | number): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined;
}

function quantity<T>(
  scope: Scope,
  field: string,
  text: T | undefined,
  read: (text: T) => number | undefined,
  form: string,
): number | undefined {
  if (text === undefined) return undefined;
  const value = read(text);
  if (value === undefined) scope.fail(field, `must be ${form}`);
  return value;
}

/** Removes keys with the value undefined: in JSON an absent key differs from a null one. */
type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function compact<T extends object>(value: T): Compact<T> {
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) kept[key] = inner;
  return kept as Compact<T>;
}
