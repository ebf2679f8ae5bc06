import type { Readable } from 'node:stream';
import type { ContainerFacts } from './container-facts.ts';
import type { ContainerFile, ContainerSpec } from './container-spec.ts';

/**
 * What the daemon needs of a container engine. Every call ends: in its time limit if the engine hangs, and always with an
 * EngineProblem that says what was being done. `wait`, `events` and `exec` last as long as what they watch.
 */
export interface Engine {
  info(): Promise<EngineInfo>;
  /** What the engine runs on; asked once. */
  platform(): Promise<Platform>;

  /** In any state; `true` asks for the label whatever its value. */
  containers(filter: { labels: LabelFilter }): Promise<ContainerFacts[]>;
  /** Those that run, with what a list says of them: one question, however many there are. */
  running(filter: { labels: LabelFilter }): Promise<RunningContainer[]>;
  /** What of the server is mounted by any container in any state, and what any could mount as a volume. */
  hostMounts(): Promise<HostMount[]>;
  /** By id or name. */
  inspect(id: string): Promise<ContainerFacts | undefined>;

  hasImage(ref: string): Promise<boolean>;
  /** The names with digests by which registries know it, by reference or id; none of one that was never in a registry. */
  imageDigests(ref: string): Promise<string[]>;
  /** By reference or id; undefined if it is not there. */
  image(ref: string): Promise<ImageFacts | undefined>;
  /** Ids of the images that containers are made of, whoever made them. */
  imagesInUse(): Promise<string[]>;
  /** Never one that a container is made of. Removing one that is gone is no error. */
  removeImage(ref: string): Promise<void>;
  pull(ref: string, on: (progress: PullProgress) => void, options?: PullOptions): Promise<void>;

  /** Makes an image of a file system given as a tar archive. */
  importImage(ref: string, archive: Buffer): Promise<void>;

  volumes(filter: { labels: LabelFilter }): Promise<NamedFacts[]>;
  volume(name: string): Promise<VolumeFacts | undefined>;
  networks(filter: { labels: LabelFilter }): Promise<NetworkFacts[]>;
  /** The id of the network. One of that name with other `owner` labels is a conflict, not ours to use. */
  ensureNetwork(spec: NetworkSpec): Promise<string>;
  ensureVolume(spec: NamedSpec): Promise<void>;
  /** Disconnects its containers first, and waits until the engine has released their endpoints. */
  removeNetwork(name: string): Promise<NetworkRemoval>;
  /** Puts a container on a further network, under names of its own there. One that is on it already stays as it is. */
  joinNetwork(name: string, id: string, aliases: readonly string[]): Promise<void>;
  removeVolume(name: string): Promise<void>;

  create(spec: ContainerSpec): Promise<string>;
  putFiles(id: string, files: readonly ContainerFile[]): Promise<void>;
  /**
   * What is at a path of a container, running or not, as a tar archive that begins with the last name of the path. Reading it
   * slowly slows the engine. That it ends is no proof that it is whole.
   */
  readArchive(id: string, path: string, signal?: AbortSignal): Promise<Readable>;
  /** Of what is at a path of a container. */
  pathFacts(id: string, path: string): Promise<PathFacts>;
  /** Unpacks a tar archive into a folder of a container, as it comes. The folder itself stays as it is. */
  writeArchive(id: string, path: string, archive: Readable, signal?: AbortSignal): Promise<void>;
  /** Starting a running container and stopping a stopped one are no errors. */
  start(id: string): Promise<void>;
  stop(id: string, graceMs: number): Promise<void>;
  kill(id: string, signal: string): Promise<void>;
  /** Removing one that is gone is no error. Volumes stay, named or not. */
  remove(id: string, options?: { force?: boolean }): Promise<void>;
  rename(id: string, name: string): Promise<void>;

  /** The exit code, once the container does not run; at once for one that has ended. */
  wait(id: string, signal?: AbortSignal): Promise<number>;
  /** The last lines, both streams as they came. */
  logs(id: string, options: { tail: number }): Promise<string>;
  /** Calls `on` until the signal aborts; fails when the engine ends the stream. */
  events(filter: EventFilter, on: (event: ContainerEvent) => void, signal: AbortSignal): Promise<void>;
  exec(id: string, command: ExecCommand, signal?: AbortSignal): Promise<ExecHandle>;

  /** Lets go of idle connections. */
  close(): void;
}

export interface EventFilter {
  labels: LabelFilter;
  /** Those of before come too, as far back as this; milliseconds since the epoch. */
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
  /** Users of containers are other users of its machine. */
  remapsUsers: boolean;
  /** What it can run containers with, by name. */
  runtimes: string[];
  cpus: number;
  memoryBytes: number;
  /** Where it keeps volumes, as a path of its machine. */
  dataRoot: string;
  /** Where output of containers goes unless they say otherwise; empty where the engine does not tell. */
  logDriver: string;
  /** Whether it can limit processes; without, it leaves such limits out. */
  limitsPids: boolean;
  /** The blocks that its operator set for its networks, in CIDR notation; empty if none were set. */
  addressPools: string[];
}

/** As images name it: `linux`, `amd64`. */
export interface Platform {
  os: string;
  arch: string;
}

export interface ImageFacts {
  id: string;
  /** What it was built for; empty where it does not say. */
  platform: Platform;
  /** As in `imageDigests`. */
  digests: string[];
  /** What a container made of it has without being told. */
  env: string[];
  labels: Record<string, string>;
  /** Where it asks for a volume. */
  volumes: string[];
}

export type LabelFilter = Readonly<Record<string, string | true>>;

export interface RunningContainer {
  id: string;
  labels: Record<string, string>;
  /** It has no network of its own. */
  hostNetwork: boolean;
}

export interface NamedFacts {
  name: string;
  labels: Record<string, string>;
}

/** kept: the engine refuses because of endpoints that it counts but does not list. */
export type NetworkRemoval = 'removed' | 'kept';

export interface NetworkFacts extends NamedFacts {
  /** In CIDR notation, IPv4 and IPv6. */
  subnets: string[];
}

export interface VolumeFacts extends NamedFacts {
  /** Where its content always is, as a path of the engine's machine; undefined if that is up to a driver or to mounting it. */
  folder: string | undefined;
  /** The directory of the server that the volume stands for, where it was made with one (`o: bind`). */
  device?: string;
}

export interface HostMount {
  path: string;
  readOnly: boolean;
  /** Whether a person chose the path; the places of plain volumes are the engine's own. */
  chosen: boolean;
  /** Missing where it is a volume, which any container could have. */
  container?: { id: string; name: string };
}

export interface PathFacts {
  sizeBytes: number;
  /** To the nanosecond, as the engine writes it. */
  changedAt: string;
}

export interface NamedSpec {
  name: string;
  labels: Record<string, string>;
  /** Those of the labels that an existing one must carry with the same value to count as ours. */
  owner: readonly string[];
}

export interface NetworkSpec extends NamedSpec {
  /** Nothing on it reaches the outside. */
  internal?: boolean;
  /** How many addresses it needs, a power of two. */
  addresses: number;
  /** In CIDR notation; chosen by the engine if it is missing. */
  subnet?: string;
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
  /** The container's labels, and the engine's details such as exitCode. */
  attributes: Record<string, string>;
}

export interface ExecCommand {
  argv: readonly string[];
  env?: Readonly<Record<string, string>>;
  user?: string;
  workingDir?: string;
  /** What it reads; nothing when it is missing. If this fails, the command is left without its rest and its end is told. */
  stdin?: Readable;
}

export interface ExecHandle {
  id: string;
  /** Both streams apart, in the order they came; ends when the command has. Reading it slowly slows the command. */
  output: AsyncIterable<ExecOutput>;
  /** Exit code and process id (of the host) once known; undefined while it runs. */
  inspect(): Promise<{ running: boolean; exitCode: number | undefined; pid: number | undefined }>;
  /** Lets go of the output; the command itself goes on. */
  detach(): void;
}

export interface ExecOutput {
  stream: 'stdout' | 'stderr';
  chunk: Buffer;
}
