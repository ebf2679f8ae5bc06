import Type, { type Static } from 'typebox';
import { Healthcheck } from './healthcheck.ts';
import { Capabilities, Confinement, Device, Gpu, PublishedPort, Ulimit } from './host-access.ts';
import { ComponentImage } from './image.ts';
import { Argv, ByteSize, ComponentName, Duration, Line, mapOf, Schedule, strict, Text } from './notation.ts';
import { OnNodeLoss, Placement } from './placement.ts';
import { ConfigFile, Storage, Tmpfs } from './storage.ts';

const EnvironmentValue = Type.Union([Type.String({ maxLength: 65_536 }), Type.Integer(), Type.Boolean()], {
  description: 'Value of the variable; ${…} is filled.',
});

export const Environment = mapOf(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' }), EnvironmentValue, {
  default: {},
  description: 'Environment variables. A variable is omitted if its whole value is a reference to something unset.',
});

export const Resources = strict(
  {
    cpu: Type.Optional(
      Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.String({ pattern: '^(\\d+(\\.\\d+)?m?|\\$\\{.+\\})$' })], {
        description: 'Limit in cores: 2, "0.5", "500m".',
      }),
    ),
    memory: Type.Optional(ByteSize('Memory limit.')),
    memory_reservation: Type.Optional(ByteSize('Memory that is reserved for it.')),
    pids: Type.Optional(Type.Integer({ minimum: 1, description: 'Limit of processes and threads; 4096 by default.' })),
  },
  { default: {}, description: 'Limits of the component.' },
);

const Logging = strict(
  {
    max_size: ByteSize('Size at which the log is rotated.'),
    max_files: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'Number of log files to keep.' }),
    ),
  },
  { description: 'Limits of the stored output; three files of 10 MiB by default.' },
);

const Logs = strict(
  {
    max_size: Type.Optional(ByteSize('Size that is kept, up to 256Mi; 20 MiB by default.')),
    max_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 90, description: 'Age up to which lines are kept; 7 days by default.' }),
    ),
  },
  {
    description:
      'How much output stays readable, also after the container is gone. The defaults are settings of the server.',
  },
);

/**
 * Keys that a template without `components` may have at its top level; they describe the component `main`. `restart`
 * has no default here, because it differs between services and jobs.
 */
export const runKeys = {
  env: Type.Optional(Environment),
  entrypoint: Type.Optional(Argv('Replaces the entry point of the image.')),
  command: Type.Optional(Argv('The argument vector; no shell is involved.')),
  user: Type.Optional(Line('User and group, such as 1000:1000.')),
  group_add: Type.Optional(
    Type.Array(Line('A group, by name or number.'), {
      minItems: 1,
      maxItems: 32,
      description: 'Additional groups of the user, such as the group of a device.',
    }),
  ),
  working_dir: Type.Optional(Line('Working directory of the command.')),
  storage: Type.Optional(Type.Array(Storage, { default: [], maxItems: 50, description: 'Persistent storage.' })),
  ports: Type.Optional(
    Type.Array(PublishedPort, { default: [], maxItems: 100, description: 'Ports of the component.' }),
  ),
  healthcheck: Type.Optional(Healthcheck),
  files: Type.Optional(
    Type.Array(ConfigFile, { default: [], maxItems: 100, description: 'Files generated from the template.' }),
  ),
  resources: Type.Optional(Resources),
  tmpfs: Type.Optional(Type.Array(Tmpfs, { default: [], maxItems: 20, description: 'In-memory file systems.' })),
  shm_size: Type.Optional(ByteSize('Size of /dev/shm.')),
  ulimits: Type.Optional(
    mapOf(Type.String({ pattern: '^[a-z]+$' }), Ulimit, { default: {}, description: 'System limits, by name.' }),
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
      description: 'Name servers to use instead of those of the server.',
    }),
  ),
  logging: Type.Optional(Logging),
  logs: Type.Optional(Logs),
  restart: Type.Optional(
    Type.Enum(['always', 'unless-stopped', 'on-failure', 'no'], {
      description: 'Restart policy; by default unless-stopped for services and no for jobs.',
    }),
  ),
  replicas: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'Number of containers.' })),
  placement: Type.Optional(Placement),
  on_node_loss: Type.Optional(OnNodeLoss),
  network: Type.Optional(
    Type.Enum(['bridge', 'host'], {
      default: 'bridge',
      description:
        'bridge: a private network of the instance; host: the network of the server (permission host_network).',
    }),
  ),
  privileged: Type.Optional(
    Type.Boolean({ default: false, description: 'Full access to the server; the operator must allow it.' }),
  ),
  pid: Type.Optional(
    Type.Enum(['private', 'host'], {
      default: 'private',
      description: 'Process namespace: its own or that of the server.',
    }),
  ),
  ipc: Type.Optional(
    Type.Enum(['private', 'host'], {
      default: 'private',
      description: 'IPC namespace: its own or that of the server.',
    }),
  ),
  confinement: Type.Optional(Confinement),
  read_only: Type.Optional(Type.Boolean({ default: false, description: 'Whether the root file system is read-only.' })),
  init: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether an init process reaps zombies and forwards signals.' }),
  ),
  tty: Type.Optional(Type.Boolean({ default: false, description: 'Whether it has a terminal.' })),
  stdin: Type.Optional(
    Type.Boolean({ description: 'Whether standard input stays open, for programs that exit without it.' }),
  ),
  aliases: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$' }), {
      maxItems: 20,
      description:
        'Additional host names for the other components, for applications with a built-in name. ${components.<name>.host} needs none.',
    }),
  ),
  hostname: Type.Optional(Line('Host name of the container.')),
  sysctls: Type.Optional(
    mapOf(
      Type.String({ pattern: '^[a-z0-9_.-]+$' }),
      Type.Union([Type.String(), Type.Integer()], { description: 'Its value.' }),
      {
        default: {},
        description: 'Kernel parameters of its network. Need the permission sysctl.',
      },
    ),
  ),
  labels: Type.Optional(
    mapOf(Type.String(), Text('A label of the container.'), { default: {}, description: 'Labels of the container.' }),
  ),
  stop_signal: Type.Optional(
    Type.String({ pattern: '^SIG[A-Z0-9+]+$', description: 'Signal for a graceful stop.', examples: ['SIGINT'] }),
  ),
  stop_grace_period: Type.Optional(Duration('Time to stop gracefully before it is killed.', '10s')),
};

export const Component = strict(
  {
    kind: Type.Optional(
      Type.Enum(['service', 'job'], {
        default: 'service',
        description: 'service: runs continuously; job: runs to completion.',
      }),
    ),
    run: Type.Optional(
      Type.Enum(['before_start', 'after_start', 'schedule'], {
        description: 'When a job runs; before_start by default.',
      }),
    ),
    schedule: Type.Optional(Schedule('When a scheduled job runs: hourly, daily, weekly or a cron expression.')),
    irreversible: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the job changes data so that the previous version cannot use it any more.',
      }),
    ),
    image: Type.Optional(ComponentImage),
    depends_on: Type.Optional(
      mapOf(
        ComponentName,
        Type.Enum(['started', 'healthy', 'completed'], {
          description: 'State that it must have reached; completed is for jobs.',
        }),
        {
          default: {},
          description: 'States of other components that are required before this one starts.',
        },
      ),
    ),
    ...runKeys,
  },
  { description: 'One container of the template.' },
);

export type Component = Static<typeof Component>;
export type Resources = Static<typeof Resources>;
