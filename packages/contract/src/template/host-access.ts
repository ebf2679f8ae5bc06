import Type, { type Static } from 'typebox';
import { ComponentName, Line, Port, strict } from './notation.ts';

/** Needs a declaration in permissions[] that is shown before deploy. */
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

/** Needs that declaration, and the server's operator must have allowed it in the daemon's own settings. */
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
    kind: Type.Enum([...DECLARED_KINDS, ...REFUSED_KINDS], { description: 'What of the server is used.' }),
    component: Type.Optional(ComponentName),
    value: Type.Optional(Line('Which path, device, capability, sysctl or port (53/udp), written as in the component.')),
    reason: Line('Why, for the person who is asked.'),
  },
  { description: 'Access to the server beyond an ordinary container.' },
);

export const PublishedPort = strict(
  {
    container_port: Port('Where the component listens.'),
    host_port: Type.Optional(
      Type.Union([Port('A fixed port of the server.'), Type.String({ pattern: '^\\$\\{[^}]+\\}$' })], {
        description: 'A fixed port of the server. Needs the permission host_port.',
      }),
    ),
    protocol: Type.Optional(Type.Enum(['tcp', 'udp'], { default: 'tcp', description: 'What is spoken there.' })),
    host_ip: Type.Optional(
      Type.String({ maxLength: 64, description: 'The address of the server to listen on; all unless said.' }),
    ),
  },
  { description: 'A port the component listens on, published on the server where host_port is given.' },
);

const CapabilityName = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$', description: 'Without the prefix CAP_.' });

export const Capabilities = strict(
  {
    add: Type.Optional(
      Type.Array(CapabilityName, {
        default: [],
        description: 'What it may do besides. Needs the permission capability.',
      }),
    ),
    drop: Type.Optional(
      Type.Array(CapabilityName, {
        default: [],
        description:
          'What it can do without. AUDIT_WRITE, MKNOD, NET_RAW and SETFCAP are dropped unless they are in add.',
      }),
    ),
  },
  { default: {}, description: 'What the component may do beyond, or need not do of, an ordinary container.' },
);

export const Device = strict({
  path: Type.String({ pattern: '^(/dev/|\\$\\{)', description: 'The device of the server.' }),
  container_path: Type.Optional(Type.String({ pattern: '^/', description: 'Its name inside; the same unless said.' })),
  access: Type.Optional(
    Type.String({ pattern: '^r?w?m?$', minLength: 1, default: 'rwm', description: 'Read, write, make: any of rwm.' }),
  ),
});

export const Gpu = strict(
  {
    count: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Integer({ minimum: 1 })], {
        default: 'all',
        description: 'How many, or all.',
      }),
    ),
    driver: Type.Optional(Line('The runtime driver; nvidia unless said.')),
  },
  { description: 'Graphics processors of the server. Needs the permission gpu.' },
);

export const Ulimit = Type.Union(
  [
    Type.Integer({ minimum: -1 }),
    strict({
      soft: Type.Integer({ minimum: -1, description: 'What applies.' }),
      hard: Type.Integer({ minimum: -1, description: 'How far the component may raise it.' }),
    }),
  ],
  { description: 'A limit of the system, such as nofile; -1 means none.' },
);

export const Confinement = strict(
  {
    seccomp: Type.Optional(
      Type.Enum(['default', 'unconfined'], { default: 'default', description: 'Which system calls it may make.' }),
    ),
    apparmor: Type.Optional(
      Type.Enum(['default', 'unconfined'], {
        default: 'default',
        description: 'Which files and operations it may touch.',
      }),
    ),
    no_new_privileges: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'No program in it gains rights that its parent lacks. So it is anyway, unless new_privileges.',
      }),
    ),
    new_privileges: Type.Optional(
      Type.Literal(true, {
        description: 'Programs in it may gain rights, as sudo does. Needs the permission new_privileges.',
      }),
    ),
  },
  { default: {}, description: 'The kernel’s fences around the component.' },
);

export type PermissionKind = (typeof DECLARED_KINDS)[number] | (typeof REFUSED_KINDS)[number];
export type Permission = Static<typeof Permission>;
export type PublishedPort = Static<typeof PublishedPort>;
