import type { Readable, Writable } from 'node:stream';
import type { ContainerFacts } from './container-facts.ts';
import type { ContainerFile, ContainerSpec } from './container-spec.ts';

/**
 * Container engine as the daemon needs it. Every call ends, at its time limit if the engine hangs, and fails only with
 * an EngineProblem that names the operation. `wait`, `events` and `exec` last as long as what they observe.
 */
export interface Engine {
  info(): Promise<EngineInfo>;
  /** Platform of the engine; asked once. */
  platform(): Promise<Platform>;

  /** Containers in any state; `true` matches any value of a label. */
  containers(filter: { labels: LabelFilter }): Promise<ContainerFacts[]>;
  /** Running containers, with the facts of a list: one call, however many there are. */
  running(filter: { labels: LabelFilter }): Promise<RunningContainer[]>;
  /** Host paths mounted by containers in any state, and paths that any container could mount as a volume. */
  hostMounts(): Promise<HostMount[]>;
  /** Finds a container by id or name. */
  inspect(id: string): Promise<ContainerFacts | undefined>;

  hasImage(ref: string): Promise<boolean>;
  /** Registry names with digests, by reference or id; empty for images that exist only locally. */
  imageDigests(ref: string): Promise<string[]>;
  /** Finds an image by reference or id. */
  image(ref: string): Promise<ImageFacts | undefined>;
  /** Ids of the images of all containers, including those of other owners. */
  imagesInUse(): Promise<string[]>;
  /** Removes an image unless a container uses it; idempotent. */
  removeImage(ref: string): Promise<void>;
  /** Local image that the operator puts in place of a reference; undefined for most. It is never pulled. */
  substituteFor(ref: string): string | undefined;
  /** Answers whether the operator put this local image in place of another; it must not be removed. */
  isSubstitute(ref: string): boolean;
  pull(ref: string, on: (progress: PullProgress) => void, options?: PullOptions): Promise<void>;

  /** Creates an image from a file system in a tar archive. */
  importImage(ref: string, archive: Buffer): Promise<void>;
  /** Loads the images of an archive as `docker save` writes it, under their names. */
  loadImages(archive: Buffer): Promise<void>;

  volumes(filter: { labels: LabelFilter }): Promise<NamedFacts[]>;
  volume(name: string): Promise<VolumeFacts | undefined>;
  networks(filter: { labels: LabelFilter }): Promise<NetworkFacts[]>;
  /**
   * Returns the id of the network; creates it if missing. A network of that name with other `owner` labels is a
   * conflict.
   */
  ensureNetwork(spec: NetworkSpec): Promise<string>;
  ensureVolume(spec: NamedSpec): Promise<void>;
  /** Disconnects its containers first, and waits until the engine has released their endpoints. */
  removeNetwork(name: string): Promise<NetworkRemoval>;
  /** Connects a container to another network with aliases; does nothing if it is already connected. */
  joinNetwork(name: string, id: string, aliases: readonly string[]): Promise<void>;
  removeVolume(name: string): Promise<void>;

  create(spec: ContainerSpec): Promise<string>;
  putFiles(id: string, files: readonly ContainerFile[]): Promise<void>;
  /**
   * Streams a path of a container, running or not, as a tar archive that starts with the last name of the path. Slow
   * reading slows the engine. The end of the stream does not prove that it is complete.
   */
  readArchive(id: string, path: string, signal?: AbortSignal): Promise<Readable>;
  /** Facts about a path of a container. */
  pathFacts(id: string, path: string): Promise<PathFacts>;
  /** Unpacks a tar archive into a folder of a container; keeps the attributes of the folder itself. */
  writeArchive(id: string, path: string, archive: Readable, signal?: AbortSignal): Promise<void>;
  /** Starting a running container and stopping a stopped one succeed. */
  start(id: string): Promise<void>;
  stop(id: string, graceMs: number): Promise<void>;
  kill(id: string, signal: string): Promise<void>;
  /** Idempotent. Keeps all volumes. */
  remove(id: string, options?: { force?: boolean }): Promise<void>;
  rename(id: string, name: string): Promise<void>;

  /** Waits until the container has stopped and returns its exit code. */
  wait(id: string, signal?: AbortSignal): Promise<number>;
  /** Returns the last lines of both streams in their order. */
  logs(id: string, options: { tail: number }): Promise<string>;
  /**
   * Yields the output of a container with times, from `since` on (seconds with nine decimals), until it stops. Slow reading
   * slows the engine, not the container.
   */
  followLogs(id: string, since: string | undefined, signal: AbortSignal): AsyncIterable<LogChunk>;
  /** Calls `on` until the signal aborts; fails when the engine ends the stream. */
  events(filter: EventFilter, on: (event: ContainerEvent) => void, signal: AbortSignal): Promise<void>;
  exec(id: string, command: ExecCommand, signal?: AbortSignal): Promise<ExecHandle>;
  /** Runs a command with its input open, in a terminal or with pipes, until it exits or is detached. */
  attach(id: string, command: AttachedCommand): Promise<AttachedExec>;

  /** Closes idle connections. */
  close(): void;
}

export interface EventFilter {
  labels: LabelFilter;
  /** Includes past events since this time; milliseconds since the epoch. */
  since?: number;
}

export interface EngineInfo {
  name: string;
  version: string;
  apiVersion: string;
  os: string;
  arch: string;
  cgroup: string;
  storageDriver: string;
  rootless: boolean;
  /** Whether users of containers are mapped to other users of the host. */
  remapsUsers: boolean;
  /** Names of available runtimes. */
  runtimes: string[];
  cpus: number;
  memoryBytes: number;
  /** Folder of volumes on the engine's machine. */
  dataRoot: string;
  /** Default log driver; empty if unknown. */
  logDriver: string;
  /** Whether it supports process limits; otherwise it ignores them. */
  limitsPids: boolean;
  /** Address pools set by the operator of the engine, in CIDR notation. */
  addressPools: string[];
}

/** Platform in the terms of images: `linux`, `amd64`. */
export interface Platform {
  os: string;
  arch: string;
}

export interface ImageFacts {
  id: string;
  /** Platform that it was built for; empty if it is not declared. */
  platform: Platform;
  /** See `imageDigests`. */
  digests: string[];
  /** Environment of the image. */
  env: string[];
  labels: Record<string, string>;
  /** Paths that the image declares as volumes. */
  volumes: string[];
}

export type LabelFilter = Readonly<Record<string, string | true>>;

export interface RunningContainer {
  id: string;
  labels: Record<string, string>;
  /** Whether it uses the host's network. */
  hostNetwork: boolean;
}

export interface NamedFacts {
  name: string;
  labels: Record<string, string>;
}

/** kept: the engine refuses because of endpoints that it counts but does not list. */
export type NetworkRemoval = 'removed' | 'kept';

export interface NetworkFacts extends NamedFacts {
  /** IPv4 and IPv6 subnets in CIDR notation. */
  subnets: string[];
}

export interface VolumeFacts extends NamedFacts {
  /** Folder of the content on the engine's machine; undefined if it depends on a driver or on mounting. */
  folder: string | undefined;
  /** Host directory that the volume binds (`o: bind`). */
  device?: string;
}

export interface HostMount {
  path: string;
  readOnly: boolean;
  /** Whether a person chose the path; paths of plain volumes are the engine's own. */
  chosen: boolean;
  /** Undefined for a volume, which any container could mount. */
  container?: { id: string; name: string };
}

export interface PathFacts {
  sizeBytes: number;
  /** With nanoseconds, as the engine writes it. */
  changedAt: string;
}

export interface NamedSpec {
  name: string;
  labels: Record<string, string>;
  /** Labels that an existing object must carry with the same value to belong to the caller. */
  owner: readonly string[];
}

export interface NetworkSpec extends NamedSpec {
  /** Without access to the outside. */
  internal?: boolean;
  /** Number of addresses, a power of two. */
  addresses: number;
  /** In CIDR notation; chosen by the engine if missing. */
  subnet?: string;
  /** Address in the subnet of the default route of its containers; the server by default. */
  gateway?: string;
}

/** A network that connects an instance with a component of another instance, which it uses. */
export interface LinkSpec extends NetworkSpec {
  link: { instance: string; definition_id: string; component: string };
}

export interface PullProgress {
  status: string;
  layer?: string;
  current?: number;
  total?: number;
}

export interface PullOptions {
  auth?: { username: string; password: string; serveraddress?: string };
  signal?: AbortSignal;
}

export interface ContainerEvent {
  action: string;
  id: string;
  at: number;
  /** Labels of the container and details such as exitCode. */
  attributes: Record<string, string>;
}

/** What was read of an output at once. */
export interface LogChunk {
  pieces: readonly LogPiece[];
  /** Bytes that were read for it, including those of lines that are not complete yet or dropped. */
  bytes: number;
}

/** A line of output, or a part of a long one. */
export interface LogPiece {
  stream: 'stdout' | 'stderr';
  /** Seconds since 1970 with nine decimals. */
  at: string;
  content: Buffer;
  /** Whether the line ends with it. */
  ends: boolean;
}

export interface ExecCommand {
  argv: readonly string[];
  env?: Readonly<Record<string, string>>;
  user?: string;
  workingDir?: string;
  /** Standard input; empty if missing. If the stream fails, the command sees its end. */
  stdin?: Readable;
}

export interface AttachedCommand {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Size of its terminal; without one it has pipes. */
  terminal?: TerminalSize;
}

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface AttachedExec extends ExecHandle {
  /** Input of the command. Waits while the command does not read. */
  input: Writable;
  resize(size: TerminalSize): Promise<void>;
}

export interface ExecHandle {
  id: string;
  /** Both streams, separated and in order; ends with the command. Slow reading slows the command. */
  output: AsyncIterable<ExecOutput>;
  /** Exit code and process id on the host; undefined while unknown. */
  inspect(): Promise<{ running: boolean; exitCode: number | undefined; pid: number | undefined }>;
  /** Detaches from the output; the command keeps running. */
  detach(): void;
}

export interface ExecOutput {
  stream: 'stdout' | 'stderr';
  chunk: Buffer;
}
