import type { Port } from './container-spec.ts';

export type ContainerState = 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';

/** Facts about a container, as the engine reports them. */
export interface ContainerFacts {
  id: string;
  name: string;
  /** Reference that it was created from, and the image id at that time. */
  image: string;
  imageId: string;
  /** Node of a Swarm, for containers of other nodes: only their state and their output are within reach. */
  node?: { id: string; name: string };
  /** Host name of the node of a Swarm, also for containers of this node. */
  nodeName?: string;
  /** Handle of the service of a Swarm whose task it is: only the whole service is started, stopped and removed. */
  service?: string;
  /** Local image that it was created from, where the operator put one in place of `image`. */
  substitute?: string;
  state: ContainerState;
  /** The engine's own check; `none` without one. */
  health: 'none' | 'starting' | 'healthy' | 'unhealthy';
  exitCode: number;
  outOfMemory: boolean;
  /** Why the engine could not start it; empty if it could. */
  error: string;
  restarts: number;
  /** Milliseconds since the epoch; undefined before the first start. */
  startedAt: number | undefined;
  finishedAt: number | undefined;
  createdAt: number;
  pid: number;
  labels: Record<string, string>;
  env: string[];
  user: string;
  entrypoint: string[];
  command: string[];
  restartPolicy: string;
  stopGraceMs: number;
  hostNetwork: boolean;
  privileged: boolean;
  readOnlyRoot: boolean;
  capabilities: { add: string[]; drop: string[] };
  /** Ports published on the host. */
  ports: Port[];
  mounts: { kind: string; source: string; target: string; readOnly: boolean }[];
  networks: { name: string; address: string; aliases: string[] }[];
  limits: { cpus: number; memoryBytes: number; memoryReservationBytes: number; pids: number };
}
