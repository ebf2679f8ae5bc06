import type { ContainerSpec } from './container-spec.ts';
import type { LabelFilter, LogChunk, NamedSpec, PullOptions } from './engine.ts';

/**
 * Docker Swarm as the daemon needs it, beside the `Engine` of its own node. Only managers answer. Every call ends, at its
 * time limit if the engine hangs, and fails only with an EngineProblem that names the operation.
 */
export interface Cluster {
  /** Part of this node in a Swarm; undefined outside of one. */
  membership(): Promise<Membership | undefined>;
  nodes(): Promise<NodeFacts[]>;
  /** Idempotent. The tasks of a drained node are moved afterwards. */
  changeNode(id: string, availability: 'active' | 'drain'): Promise<void>;

  services(filter: { labels: LabelFilter }): Promise<ServiceFacts[]>;
  /** Finds a service by id or name. */
  service(id: string): Promise<ServiceFacts | undefined>;
  createService(spec: ServiceSpec, auth?: RegistryAuth): Promise<string>;
  /** Replaces the tasks by those of a new specification. */
  updateService(id: string, spec: ServiceSpec, auth?: RegistryAuth): Promise<void>;
  /** Changes the number of tasks; keeps the running ones. */
  scaleService(id: string, replicas: number): Promise<void>;
  /** Replaces all tasks by equal ones, as an update does. */
  restartService(id: string): Promise<void>;
  /** Returns to the specification before the last update. */
  rollBackService(id: string): Promise<void>;
  /** Idempotent. Tasks end afterwards. */
  removeService(id: string): Promise<void>;

  /** Current and former tasks of the services with these labels. */
  tasks(filter: { labels: LabelFilter } | { service: string }): Promise<TaskFacts[]>;
  /** Returns the last lines of a task, wherever it ran. */
  taskLogs(id: string, options: { tail: number }): Promise<string>;

  /** Yields the output of a task with times, like `followLogs` of an engine. */
  followTaskLogs(id: string, since: string | undefined, signal: AbortSignal): AsyncGenerator<LogChunk>;

  /** Addresses, by container, at which this node reaches the tasks that run on it. */
  localAddresses(): Promise<ReadonlyMap<string, string>>;
  /** Returns the id of an overlay network; creates it if missing. */
  ensureNetwork(spec: OverlaySpec): Promise<string>;

  /** Small named contents in the store of the Swarm. The content of secrets cannot be read back. */
  contents(kind: ContentKind, filter: { labels: LabelFilter }): Promise<ContentFacts[]>;
  createContent(kind: ContentKind, spec: ContentSpec): Promise<string>;
  /** Idempotent. False if a service uses it. */
  removeContent(kind: ContentKind, id: string): Promise<boolean>;

  close(): void;
}

export type ContentKind = 'secrets' | 'configs';
export type RegistryAuth = NonNullable<PullOptions['auth']>;

export interface Membership {
  nodeId: string;
  isManager: boolean;
}

export interface NodeFacts {
  id: string;
  name: string;
  state: 'ready' | 'down' | 'disconnected' | 'unknown';
  availability: 'active' | 'pause' | 'drain';
  role: 'manager' | 'worker';
  isLeader: boolean;
  address: string;
  labels: Record<string, string>;
  cpus: number;
  memoryBytes: number;
  engineVersion?: string;
}

/** A component as a service: the container of its tasks, and how tasks are placed and replaced. */
export interface ServiceSpec {
  /** Its name is the name of the service; its labels are those of the tasks' containers. */
  container: ContainerSpec;
  labels: Record<string, string>;
  files: readonly MountedSecret[];
  /** `global`: one task on every node that meets the constraints. */
  mode: { kind: 'replicated'; replicas: number } | { kind: 'job' } | { kind: 'global' };
  /** Networks that it joins beside that of its container. */
  networks?: readonly JoinedNetwork[] | undefined;
  /** As the Swarm reads them: `node.id==…`. */
  constraints: readonly string[];
  /** Label of nodes, as in `node.labels.zone`, over whose values tasks are spread. */
  spread?: string | undefined;
  /** For services that replace their tasks. */
  update?: UpdateRule;
}

export interface JoinedNetwork {
  name: string;
  aliases: readonly string[];
}

export interface UpdateRule {
  order: 'start-first' | 'stop-first';
  /** Time after its start in which the failure of a task fails the update. */
  monitorMs: number;
  /** What the Swarm does with a failed update; it returns to the former specification by default. */
  onFailure?: 'rollback' | 'pause';
}

/** A file of a container whose content is a secret of the Swarm. */
export interface MountedSecret {
  id: string;
  name: string;
  path: string;
  /** Octal, as in `0640`. */
  mode: string;
}

export interface OverlaySpec extends NamedSpec {
  internal?: boolean;
  /** Whether containers of no service may join it; they may by default. */
  attachable?: boolean;
}

export interface ContentSpec {
  name: string;
  labels: Record<string, string>;
  data: Buffer;
}

export interface ContentFacts {
  id: string;
  name: string;
  labels: Record<string, string>;
  /** Empty for secrets, which cannot be read back. */
  data: Buffer;
  createdAt: number;
}

export interface ServiceFacts {
  id: string;
  name: string;
  labels: Record<string, string>;
  /** Labels before the last update, if the Swarm can return to it. */
  formerLabels: Record<string, string> | undefined;
  /** Number of tasks before the last change. */
  formerReplicas: number | undefined;
  kind: 'replicated' | 'job' | 'global' | 'other';
  replicas: number;
  image: string;
  constraints: string[];
  /** Its names on all its networks, beside its own. */
  aliases: string[];
  /** Ids of the secrets that it uses, or would use after a rollback. */
  secrets: string[];
  /** Undefined without an update since it was created, and before the Swarm has begun one. */
  update: { state: UpdateState; message: string } | undefined;
}

export type UpdateState =
  | 'updating'
  | 'paused'
  | 'completed'
  | 'rollback_started'
  | 'rollback_paused'
  | 'rollback_completed';

export interface TaskFacts {
  id: string;
  service: string;
  /** Empty until the task is assigned. */
  node: string;
  slot: number;
  state: TaskState;
  desired: TaskState;
  /** Why it failed or was not assigned; empty otherwise. */
  error: string;
  exitCode: number | undefined;
  /** Empty before its container is created. */
  containerId: string;
  /** Labels of its container. */
  labels: Record<string, string>;
  image: string;
  /** Whether it uses the network of its node. */
  hostNetwork: boolean;
  createdAt: number;
  /** When it reached its state. */
  at: number;
}

export type TaskState =
  | 'new'
  | 'allocated'
  | 'pending'
  | 'assigned'
  | 'accepted'
  | 'preparing'
  | 'ready'
  | 'starting'
  | 'running'
  | 'complete'
  | 'shutdown'
  | 'failed'
  | 'rejected'
  | 'remove'
  | 'orphaned';
