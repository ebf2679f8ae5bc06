/** Complete, engine-independent specification of a container; leaves no defaults to the engine. */
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
  /** Labels of volumes that the engine creates with the container. */
  volumeLabels?: Record<string, string>;
  limits: Limits;
  restart: 'always' | 'unless-stopped' | 'on-failure' | 'no';
  ports: readonly Port[];
  network:
    | { kind: 'host' | 'none' }
    | {
        kind: 'bridge';
        name: string;
        aliases: readonly string[];
        /** Networks that it joins before it starts, without a name there. */
        links?: readonly string[];
      };
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
  /** Limit of stored output. `byDefault`: applies only if the engine stores output in files. */
  logLimit?: { maxBytes: number; files: number; byDefault?: boolean };
  readOnlyRoot: boolean;
  init: boolean;
  tty: boolean;
  stdin?: boolean;
  stopSignal?: string;
  stopGraceMs: number;
  /** Health check of the engine: a command, none, or (undefined) that of the image. */
  healthcheck?: 'none' | CommandCheck;
}

export type Mount =
  | { kind: 'volume'; volume: string; target: string; readOnly: boolean }
  | { kind: 'host'; path: string; target: string; readOnly: boolean }
  | { kind: 'tmpfs'; target: string; sizeBytes?: number };

interface Limits {
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
  /** Published on the host if set. */
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
