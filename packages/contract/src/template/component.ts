import Type, { type Static } from 'typebox';
import { Healthcheck } from './healthcheck.ts';
import { Capabilities, Confinement, Device, Gpu, PublishedPort, Ulimit } from './host-access.ts';
import { ComponentImage } from './image.ts';
import { Argv, ByteSize, ComponentName, Duration, Line, mapOf, Schedule, strict, Text } from './notation.ts';
import { ConfigFile, Storage, Tmpfs } from './storage.ts';

const EnvironmentValue = Type.Union([Type.String({ maxLength: 65_536 }), Type.Integer(), Type.Boolean()], {
  description: 'Its value; ${…} is filled.',
});

export const Environment = mapOf(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' }), EnvironmentValue, {
  default: {},
  description: 'Environment variables. One whose whole value is a reference to something unset is left out.',
});

export const Resources = strict(
  {
    cpu: Type.Optional(
      Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.String({ pattern: '^(\\d+(\\.\\d+)?m?|\\$\\{.+\\})$' })], {
        description: 'Limit in cores: 2, "0.5", "500m".',
      }),
    ),
    memory: Type.Optional(ByteSize('Limit.')),
    memory_reservation: Type.Optional(ByteSize('What the scheduler keeps free for it.')),
    pids: Type.Optional(Type.Integer({ minimum: 1, description: 'Limit of processes and threads; 4096 unless said.' })),
  },
  { default: {}, description: 'Limits of the component.' },
);

const Logging = strict(
  {
    max_size: ByteSize('How large a file of its log grows before the next is begun.'),
    max_files: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'How many are kept.' })),
  },
  { description: 'Limits of what the engine keeps of its output; three files of 10 MiB unless said.' },
);

/**
 * The keys a template without `components` may write at its top level: they describe component `main`.
 * `restart` has no default here, since a service and a job differ in it.
 */
export const runKeys = {
  env: Type.Optional(Environment),
  entrypoint: Type.Optional(Argv('Replaces the entry point of the image.')),
  command: Type.Optional(Argv('The arguments, as a list; no shell takes part.')),
  user: Type.Optional(Line('User and group, such as 1000:1000.')),
  group_add: Type.Optional(
    Type.Array(Line('A group, by name or number.'), {
      minItems: 1,
      maxItems: 32,
      description: 'Groups of the user besides its own, such as that of a device.',
    }),
  ),
  working_dir: Type.Optional(Line('The directory the command starts in.')),
  storage: Type.Optional(
    Type.Array(Storage, { default: [], maxItems: 50, description: 'What survives a new container.' }),
  ),
  ports: Type.Optional(
    Type.Array(PublishedPort, { default: [], maxItems: 100, description: 'The ports it listens on.' }),
  ),
  healthcheck: Type.Optional(Healthcheck),
  files: Type.Optional(
    Type.Array(ConfigFile, { default: [], maxItems: 100, description: 'Files made from the template.' }),
  ),
  resources: Type.Optional(Resources),
  tmpfs: Type.Optional(Type.Array(Tmpfs, { default: [], maxItems: 20, description: 'File systems in memory.' })),
  shm_size: Type.Optional(ByteSize('Size of /dev/shm.')),
  ulimits: Type.Optional(
    mapOf(Type.String({ pattern: '^[a-z]+$' }), Ulimit, { default: {}, description: 'Limits of the system, by name.' }),
  ),
  capabilities: Type.Optional(Capabilities),
  devices: Type.Optional(
    Type.Array(Device, {
      default: [],
      maxItems: 50,
      description: 'Devices of the server. Need the permission device.',
    }),
  ),
  gpu: Type.Optional(Gpu),
  extra_hosts: Type.Optional(
    mapOf(Type.String({ pattern: '^[A-Za-z0-9.-]+$' }), Text('An address, or host-gateway.'), {
      default: {},
      description: 'Names added to /etc/hosts.',
    }),
  ),
  dns: Type.Optional(
    Type.Array(Line('The address of a name server.'), {
      minItems: 1,
      maxItems: 3,
      description: 'Name servers to ask instead of those of the server.',
    }),
  ),
  logging: Type.Optional(Logging),
  restart: Type.Optional(
    Type.Enum(['always', 'unless-stopped', 'on-failure', 'no'], {
      description: 'What follows an exit: unless-stopped for a service, no for a job, unless said.',
    }),
  ),
  replicas: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'How many of it run.' })),
  network: Type.Optional(
    Type.Enum(['bridge', 'host'], {
      default: 'bridge',
      description: 'A network of the instance’s own, or the server’s (permission host_network).',
    }),
  ),
  privileged: Type.Optional(
    Type.Boolean({ default: false, description: 'May do everything on the server; the operator must allow it.' }),
  ),
  pid: Type.Optional(Type.Enum(['private', 'host'], { default: 'private', description: 'Whose processes it sees.' })),
  ipc: Type.Optional(
    Type.Enum(['private', 'host'], { default: 'private', description: 'Whose shared memory it sees.' }),
  ),
  confinement: Type.Optional(Confinement),
  read_only: Type.Optional(Type.Boolean({ default: false, description: 'The root file system cannot be written.' })),
  init: Type.Optional(
    Type.Boolean({ default: false, description: 'A small init reaps zombies and passes signals on.' }),
  ),
  tty: Type.Optional(Type.Boolean({ default: false, description: 'It runs at a terminal.' })),
  stdin: Type.Optional(Type.Boolean({ description: 'Standard input stays open, for programs that end without it.' })),
  aliases: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$' }), {
      maxItems: 20,
      description:
        'Further names under which the other components reach it, for applications that have one built in. ${components.<name>.host} needs none.',
    }),
  ),
  hostname: Type.Optional(Line('The host name inside.')),
  sysctls: Type.Optional(
    mapOf(
      Type.String({ pattern: '^[a-z0-9_.-]+$' }),
      Type.Union([Type.String(), Type.Integer()], { description: 'Its value.' }),
      {
        default: {},
        description: 'Settings of the kernel for its network. Need the permission sysctl.',
      },
    ),
  ),
  labels: Type.Optional(
    mapOf(Type.String(), Text('A label of the container.'), { default: {}, description: 'Labels of the container.' }),
  ),
  stop_signal: Type.Optional(
    Type.String({ pattern: '^SIG[A-Z0-9+]+$', description: 'The signal that asks it to stop.', examples: ['SIGINT'] }),
  ),
  stop_grace_period: Type.Optional(Duration('How long it may take to stop before it is killed.', '10s')),
};

export const Component = strict(
  {
    kind: Type.Optional(
      Type.Enum(['service', 'job'], { default: 'service', description: 'Keeps running, or runs to its end.' }),
    ),
    run: Type.Optional(
      Type.Enum(['before_start', 'after_start', 'schedule'], {
        description: 'When a job runs; before_start unless said.',
      }),
    ),
    schedule: Type.Optional(Schedule('When a scheduled job runs: hourly, daily, weekly or a cron line.')),
    irreversible: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The job changes data so that the former version cannot use it any more.',
      }),
    ),
    image: Type.Optional(ComponentImage),
    depends_on: Type.Optional(
      mapOf(
        ComponentName,
        Type.Enum(['started', 'healthy', 'completed'], {
          description: 'What it must have come to; completed is for jobs.',
        }),
        {
          default: {},
          description: 'What must have come about in other components before this one starts.',
        },
      ),
    ),
    ...runKeys,
  },
  { description: 'One container of the template.' },
);

export type Component = Static<typeof Component>;
export type Resources = Static<typeof Resources>;
