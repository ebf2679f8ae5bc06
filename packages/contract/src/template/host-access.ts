import Type, { type Static } from 'typebox';
import { ComponentName, Line, Port, strict } from './notation.ts';

/** Kinds that need a declaration in permissions[], which is shown before a deployment. */
export const DECLARED_KINDS = [
  'host_network',
  'host_path',
  'device',
  'gpu',
  'capability',
  'new_privileges',
  'sysctl',
  'host_port',
] as const;

/** Kinds that need the declaration and also the consent of the server's operator in the daemon's settings. */
export const REFUSED_KINDS = [
  'privileged',
  'host_pid',
  'host_ipc',
  'docker_socket',
  'host_root',
  'unconfined',
] as const;

/** Capabilities that amount to root on the server. */
export const REFUSED_CAPABILITIES = ['ALL', 'SYS_ADMIN', 'SYS_MODULE', 'SYS_RAWIO', 'SYS_PTRACE'] as const;

export const Permission = strict(
  {
    kind: Type.Enum([...DECLARED_KINDS, ...REFUSED_KINDS], { description: 'Kind of access.' }),
    component: Type.Optional(ComponentName),
    value: Type.Optional(Line('The path, device, capability, sysctl or port (53/udp), written as in the component.')),
    reason: Line('Reason, for the person who approves it.'),
  },
  { description: 'Access to the server beyond an ordinary container.' },
);

/**
 * Maximum number of ports of a component. Docker forwards each published port by two processes and two firewall rules:
 * 500 ports are 1,000 processes, 1.2 GB of memory, and half a minute to start and again to stop.
 */
export const MAX_PORTS = 500;

export const PublishedPort = strict(
  {
    container_port: Port('Port of the component.'),
    last_port: Type.Optional(
      Port(
        `Last port of a range that begins with container_port; host_port is then the first of as many ports of the server. A component has at most ${MAX_PORTS} ports.`,
      ),
    ),
    host_port: Type.Optional(
      Type.Union([Port('A fixed port of the server.'), Type.String({ pattern: '^\\$\\{[^}]+\\}$' })], {
        description: 'A fixed port of the server. Needs the permission host_port.',
      }),
    ),
    protocol: Type.Optional(Type.Enum(['tcp', 'udp'], { default: 'tcp', description: 'Protocol of the port.' })),
    host_ip: Type.Optional(
      Type.String({ maxLength: 64, description: 'Address of the server to listen on; all by default.' }),
    ),
  },
  { description: 'A port of the component, published on the server if host_port is given.' },
);

const CapabilityName = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$', description: 'Without the prefix CAP_.' });

export const Capabilities = strict(
  {
    add: Type.Optional(
      Type.Array(CapabilityName, {
        default: [],
        description: 'Additional capabilities. Need the permission capability.',
      }),
    ),
    drop: Type.Optional(
      Type.Array(CapabilityName, {
        default: [],
        description:
          'Capabilities to drop. AUDIT_WRITE, MKNOD, NET_RAW and SETFCAP are dropped unless they are in add.',
      }),
    ),
  },
  { default: {}, description: 'Linux capabilities of the component, relative to an ordinary container.' },
);

export const Device = strict({
  path: Type.String({ pattern: '^(/dev/|\\$\\{)', description: 'The device of the server.' }),
  container_path: Type.Optional(
    Type.String({ pattern: '^/', description: 'Path in the container; the same by default.' }),
  ),
  access: Type.Optional(
    Type.String({
      pattern: '^r?w?m?$',
      minLength: 1,
      default: 'rwm',
      description: 'Any of r (read), w (write) and m (mknod).',
    }),
  ),
});

export const Gpu = strict(
  {
    count: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Integer({ minimum: 1 })], {
        default: 'all',
        description: 'Number of GPUs, or all.',
      }),
    ),
    driver: Type.Optional(Line('The runtime driver; nvidia by default.')),
  },
  { description: 'GPUs of the server. Needs the permission gpu.' },
);

export const Ulimit = Type.Union(
  [
    Type.Integer({ minimum: -1 }),
    strict({
      soft: Type.Integer({ minimum: -1, description: 'Effective limit.' }),
      hard: Type.Integer({ minimum: -1, description: 'Maximum to which the component may raise the limit.' }),
    }),
  ],
  { description: 'A system limit, such as nofile; -1 means unlimited.' },
);

export const Confinement = strict(
  {
    seccomp: Type.Optional(
      Type.Enum(['default', 'unconfined'], { default: 'default', description: 'Filter of system calls.' }),
    ),
    apparmor: Type.Optional(
      Type.Enum(['default', 'unconfined'], {
        default: 'default',
        description: 'Profile for files and operations.',
      }),
    ),
    no_new_privileges: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Programs cannot gain privileges that their parent lacks. This is the default, unless new_privileges is set.',
      }),
    ),
    new_privileges: Type.Optional(
      Type.Literal(true, {
        description: 'Programs may gain privileges, as sudo does. Needs the permission new_privileges.',
      }),
    ),
  },
  { default: {}, description: 'Kernel confinement of the component.' },
);

export type PermissionKind = (typeof DECLARED_KINDS)[number] | (typeof REFUSED_KINDS)[number];
export type Permission = Static<typeof Permission>;
export type PublishedPort = Static<typeof PublishedPort>;
