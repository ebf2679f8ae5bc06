import Type, { type Static } from 'typebox';
import { ActionParam } from './actions.ts';
import { Permission } from './host-access.ts';

/** The manifest for a daemon: fully resolved, without defaults or units to convert. Daemons ignore unknown keys. */
const Texts = Type.Record(Type.String(), Type.String());
const Argv = Type.Array(Type.String());
const Milliseconds = Type.Integer({ minimum: 0 });
const Bytes = Type.Integer({ minimum: 0 });

export const ManifestHealthcheck = Type.Object({
  http: Type.Optional(
    Type.Object({
      port: Type.Integer(),
      path: Type.String(),
      scheme: Type.Enum(['http', 'https']),
      headers: Texts,
      expect: Type.Optional(Type.Integer({ description: 'Any 2xx or 3xx if absent.' })),
    }),
  ),
  tcp: Type.Optional(Type.Object({ port: Type.Integer() })),
  test: Type.Optional(Argv),
  disabled: Type.Optional(Type.Literal(true)),
  interval_ms: Milliseconds,
  timeout_ms: Milliseconds,
  start_period_ms: Milliseconds,
  retries: Type.Integer(),
});

const ManifestStorage = Type.Object({
  name: Type.String(),
  volume: Type.Optional(Type.String({ description: 'Name of the volume; absent if host_path is given.' })),
  host_path: Type.Optional(Type.String()),
  mount_path: Type.String(),
  read_only: Type.Boolean(),
  critical: Type.Boolean(),
});

export const ManifestComponent = Type.Object({
  name: Type.String(),
  host: Type.String({ description: 'Network alias inside the instance.' }),
  kind: Type.Enum(['service', 'job']),
  run: Type.Optional(Type.Enum(['before_start', 'after_start', 'schedule'])),
  schedule: Type.Optional(Type.String()),
  irreversible: Type.Boolean(),
  image: Type.String(),
  entrypoint: Type.Optional(Argv),
  command: Type.Optional(Argv),
  user: Type.Optional(Type.String()),
  group_add: Type.Optional(Type.Array(Type.String())),
  working_dir: Type.Optional(Type.String()),
  hostname: Type.Optional(Type.String()),
  env: Texts,
  files: Type.Array(Type.Object({ mount_path: Type.String(), mode: Type.String(), content: Type.String() })),
  storage: Type.Array(ManifestStorage),
  tmpfs: Type.Array(Type.Object({ mount_path: Type.String(), size_bytes: Type.Optional(Bytes) })),
  shm_size_bytes: Type.Optional(Bytes),
  healthcheck: Type.Optional(ManifestHealthcheck),
  depends_on: Type.Record(Type.String(), Type.Enum(['started', 'healthy', 'completed'])),
  resources: Type.Object({
    cpus: Type.Optional(Type.Number()),
    memory_bytes: Type.Optional(Bytes),
    memory_reservation_bytes: Type.Optional(Bytes),
    pids: Type.Optional(Type.Integer()),
  }),
  restart: Type.Enum(['always', 'unless-stopped', 'on-failure', 'no']),
  replicas: Type.Integer(),
  placement: Type.Optional(
    Type.Object({
      constraints: Type.Optional(Texts),
      spread: Type.Optional(Type.String()),
    }),
  ),
  on_node_loss: Type.Optional(Type.Enum(['restore', 'wait'])),
  ports: Type.Array(
    Type.Object({
      container_port: Type.Integer(),
      host_port: Type.Optional(Type.Integer()),
      host_ip: Type.Optional(Type.String()),
      protocol: Type.Enum(['tcp', 'udp']),
    }),
  ),
  network: Type.Enum(['bridge', 'host']),
  privileged: Type.Boolean(),
  pid: Type.Enum(['private', 'host']),
  ipc: Type.Enum(['private', 'host']),
  confinement: Type.Object({
    seccomp: Type.Enum(['default', 'unconfined']),
    apparmor: Type.Enum(['default', 'unconfined']),
    no_new_privileges: Type.Boolean(),
    new_privileges: Type.Optional(Type.Literal(true)),
  }),
  capabilities: Type.Object({ add: Type.Array(Type.String()), drop: Type.Array(Type.String()) }),
  devices: Type.Array(Type.Object({ path: Type.String(), container_path: Type.String(), access: Type.String() })),
  gpu: Type.Optional(
    Type.Object({ count: Type.Union([Type.Literal('all'), Type.Integer()]), driver: Type.Optional(Type.String()) }),
  ),
  ulimits: Type.Record(Type.String(), Type.Object({ soft: Type.Integer(), hard: Type.Integer() })),
  sysctls: Texts,
  extra_hosts: Texts,
  dns: Type.Optional(Type.Array(Type.String())),
  logging: Type.Optional(
    Type.Object({
      max_bytes: Bytes,
      max_files: Type.Integer({ minimum: 1 }),
      by_default: Type.Optional(
        Type.Literal(true, {
          description: 'Default of Hortus, not of the template: an engine with another log driver keeps it.',
        }),
      ),
    }),
  ),
  logs: Type.Optional(
    Type.Object(
      { max_bytes: Type.Optional(Bytes), max_age_ms: Type.Optional(Milliseconds) },
      { description: 'How much output the daemon keeps; its own settings apply to what is absent.' },
    ),
  ),
  labels: Texts,
  read_only: Type.Boolean(),
  init: Type.Boolean(),
  tty: Type.Boolean(),
  stdin: Type.Optional(Type.Boolean()),
  aliases: Type.Optional(Type.Array(Type.String(), { description: 'Additional network aliases inside the instance.' })),
  links: Type.Optional(
    Type.Array(
      Type.Object({
        instance: Type.String({ description: 'Name of the other instance on the server.' }),
        definition_id: Type.String(),
        component: Type.String(),
      }),
      { description: 'Components of other instances on the server that it must reach by name.' },
    ),
  ),
  stop_signal: Type.Optional(Type.String()),
  stop_grace_period_ms: Milliseconds,
});

export const ManifestRoute = Type.Object({
  name: Type.String(),
  component: Type.String(),
  port: Type.Integer(),
  host: Type.String(),
  path: Type.String(),
  strip: Type.Boolean(),
  scheme: Type.Optional(Type.Enum(['http', 'https'])),
  tls: Type.Enum(['auto', 'internal', 'off']),
  primary: Type.Boolean(),
  url: Type.String(),
});

export const ManifestAction = Type.Object({
  name: Type.String(),
  slug: Type.String(),
  description: Type.String(),
  type: Type.Enum(['exec', 'job', 'http']),
  component: Type.String(),
  command: Type.Optional(
    Type.Array(Type.String(), { description: '${params.x} is filled at run time, within its argument.' }),
  ),
  http: Type.Optional(
    Type.Object({
      method: Type.String(),
      port: Type.Integer(),
      path: Type.String(),
      headers: Texts,
      body: Type.Optional(Type.String()),
      expect: Type.Optional(Type.Integer()),
    }),
  ),
  image: Type.Optional(Type.String({ description: 'Image of a job; by default that of its component.' })),
  env: Texts,
  user: Type.Optional(Type.String()),
  working_dir: Type.Optional(Type.String()),
  timeout_ms: Milliseconds,
  dangerous: Type.Boolean(),
  params: Type.Array(ActionParam),
});

export const ManifestPermission = Type.Object({
  ...Permission.properties,
  component: Type.String(),
  needs_operator: Type.Boolean({ description: 'Whether the operator of the server must allow it.' }),
});

const ManifestSmokeTest = Type.Object({
  http: Type.Optional(
    Type.Object({
      route: Type.String(),
      path: Type.String(),
      expect: Type.Integer(),
      contains: Type.Optional(Type.String()),
    }),
  ),
  tcp: Type.Optional(Type.Object({ component: Type.String(), port: Type.Integer() })),
  exec: Type.Optional(Type.Object({ component: Type.String(), command: Argv })),
});

export const Manifest = Type.Object(
  {
    species: Type.String(),
    template_version: Type.String(),
    app_version: Type.Optional(Type.String()),
    archetype: Type.String(),
    spec_hash: Type.String(),
    profile: Type.String(),
    variant: Type.Union([Type.String(), Type.Null()]),
    instance: Type.Object({
      uid: Type.String(),
      name: Type.String(),
      server_id: Type.String(),
      tenant_id: Type.Optional(Type.String()),
    }),
    deadline_ms: Milliseconds,
    watch_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Watch period after success, during which the daemon rolls back if it becomes unhealthy.',
      }),
    ),
    components: Type.Array(ManifestComponent, { description: 'In dependency order.' }),
    routes: Type.Array(ManifestRoute),
    actions: Type.Array(ManifestAction),
    backup: Type.Object({
      strategy: Type.Enum(['none', 'volume', 'dump', 'both']),
      volumes: Type.Array(Type.Object({ name: Type.String(), critical: Type.Boolean() })),
      dump_action: Type.Union([Type.String(), Type.Null()]),
      restore_command: Type.Optional(Argv),
      restore_into: Type.Optional(
        Type.Enum(['running', 'empty'], {
          description:
            'empty: all containers are removed and the volumes of the dumped component are emptied before restore_command reads the dump; the rest starts afterwards. Present with restore_command.',
        }),
      ),
      restore_needs: Type.Optional(Type.Array(Type.String())),
      schedule_hint: Type.Union([Type.String(), Type.Null()]),
    }),
    smoke: Type.Array(ManifestSmokeTest),
    provides: Type.Array(Type.Object({ class: Type.String(), attributes: Texts })),
    permissions: Type.Array(ManifestPermission),
    notes: Type.Optional(Type.String()),
    isolated: Type.Optional(
      Type.Object(
        { routes: Type.Array(ManifestRoute) },
        {
          description:
            'Present for a copy: its networks have no way out. The routes of the original, for smoke tests only; nothing is routed to a copy.',
        },
      ),
    ),
  },
  { $id: 'urn:hortus:manifest', title: 'Manifest', description: 'One revision of an instance, resolved.' },
);

export type ManifestHealthcheck = Static<typeof ManifestHealthcheck>;
export type ManifestComponent = Static<typeof ManifestComponent>;
export type ManifestRoute = Static<typeof ManifestRoute>;
export type ManifestAction = Static<typeof ManifestAction>;
export type ManifestPermission = Static<typeof ManifestPermission>;
export type Manifest = Static<typeof Manifest>;
