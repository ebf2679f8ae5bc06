/** One container, said completely: nothing is left for the engine to guess, and no engine's vocabulary is used. */
export interface ContainerSpec {
  name: string;
  image: string;
  labels: Record<string, string>;
  env: Record<string, string>;
  entrypoint?: readonly string[];
  command?: readonly string[];
  user?: string;
  groups?: readonly string[];
  workingDir?: string;
  hostname?: string;
  mounts: readonly Mount[];
  limits: Limits;
  restart: 'always' | 'unless-stopped' | 'on-failure' | 'no';
  ports: readonly Port[];
  network: { kind: 'host' | 'none' } | { kind: 'bridge'; name: string; aliases: readonly string[] };
  privileged: boolean;
  pid: 'private' | 'host';
  ipc: 'private' | 'host';
  seccomp: 'default' | 'unconfined';
  apparmor: 'default' | 'unconfined';
  noNewPrivileges: boolean;
  capabilities: { add: readonly string[]; drop: readonly string[] };
  devices: readonly { path: string; containerPath: string; access: string }[];
  gpu?: { count: 'all' | number; driver?: string };
  sysctls: Record<string, string>;
  extraHosts: Record<string, string>;
  nameServers?: readonly string[];
  /** How much of its output is kept. By default only: unless the engine is set to send output elsewhere. */
  logLimit?: { maxBytes: number; files: number; byDefault?: boolean };
  readOnlyRoot: boolean;
  init: boolean;
  tty: boolean;
  stdin?: boolean;
  stopSignal?: string;
  stopGraceMs: number;
  /** What the engine itself checks: a command, nothing at all, or (undefined) whatever the image says. */
  healthcheck?: 'none' | CommandCheck;
}

export type Mount =
  | { kind: 'volume'; volume: string; target: string; readOnly: boolean }
  | { kind: 'host'; path: string; target: string; readOnly: boolean }
  | { kind: 'tmpfs'; target: string; sizeBytes?: number };

export interface Limits {
  cpus?: number;
  memoryBytes?: number;
  memoryReservationBytes?: number;
  pids?: number;
  shmBytes?: number;
  ulimits: Record<string, { soft: number; hard: number }>;
}

export interface Port {
  containerPort: number;
  protocol: 'tcp' | 'udp';
  /** Published on the host where given. */
  hostPort?: number;
  hostIp?: string;
}

export interface CommandCheck {
  argv: readonly string[];
  intervalMs: number;
  timeoutMs: number;
  startPeriodMs: number;
  retries: number;
}

/** A file put into a container before it starts, owned by root. */
export interface ContainerFile {
  path: string;
  /** Octal, as in `0640`. */
  mode: string;
  content: string;
}
