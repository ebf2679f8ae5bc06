import type { Readable } from 'node:stream';
import type { ContainerFacts } from '../container-facts.ts';
import type { ContainerFile, ContainerSpec } from '../container-spec.ts';
import type {
  ContainerEvent,
  Engine,
  EngineInfo,
  EventFilter,
  ExecCommand,
  ExecHandle,
  ImageFacts,
  LabelFilter,
  NamedFacts,
  NamedSpec,
  PathFacts,
  Platform,
  PullOptions,
  PullProgress,
  RunningContainer,
  VolumeFacts,
} from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';
import type { Call } from './connection.ts';
import { containerBody } from './container-body.ts';
import { demultiplex } from './demultiplex.ts';
import { DockerApi } from './docker-api.ts';
import { pathFacts, readArchive, writeArchive } from './docker-archive.ts';
import { followEvents } from './docker-events.ts';
import { dockerExec } from './docker-exec.ts';
import { hasImage, imageDigests, importImage, pullImage, readImage, removeImage } from './docker-images.ts';
import {
  ensureNetwork,
  ensureVolume,
  findVolume,
  joinNetwork,
  labelFilters,
  listNetworks,
  listVolumes,
  removeNetwork,
  removeVolume,
} from './docker-resources.ts';
import { factsOf, type InspectAnswer } from './inspect-answer.ts';
import { objectPath } from './object-path.ts';
import { tarOf } from './tar.ts';
import { standardTimeouts, type Timeouts } from './timeouts.ts';

export interface DockerEngineOptions {
  socketPath: string;
  timeouts?: Partial<Timeouts>;
}

/** Docker 20.10 or later, or what speaks its API, over its unix socket. Nothing is asked before the first call. */
export function openDockerEngine(options: DockerEngineOptions): Engine {
  return new DockerEngine(options);
}

class DockerEngine implements Engine {
  readonly #api: DockerApi;
  readonly #timeouts: Timeouts;
  #cpus: Promise<number> | undefined;

  constructor({ socketPath, timeouts }: DockerEngineOptions) {
    this.#timeouts = { ...standardTimeouts, ...timeouts };
    this.#api = new DockerApi(socketPath, this.#timeouts);
  }

  async info(): Promise<EngineInfo> {
    const [{ prefix, answer }, info] = await Promise.all([
      this.#api.negotiated(),
      this.#api.json<InfoAnswer>({
        operation: 'ask the engine about itself',
        method: 'GET',
        path: '/info',
        timeout: this.#timeouts.quick,
      }),
    ]);
    return {
      name: answer.Components?.[0]?.Name === 'Podman Engine' ? 'podman' : 'docker',
      version: answer.Version,
      apiVersion: prefix.slice('/v'.length),
      os: answer.Os,
      arch: answer.Arch,
      cgroup: info.CgroupVersion ?? '1',
      storageDriver: info.Driver ?? '',
      rootless: (info.SecurityOptions ?? []).some((option) => /(^|,)name=rootless(,|$)/.test(option)),
      remapsUsers: (info.SecurityOptions ?? []).some((option) => /(^|,)name=userns(,|$)/.test(option)),
      runtimes: Object.keys(info.Runtimes ?? {}),
      cpus: info.NCPU,
      memoryBytes: info.MemTotal,
      dataRoot: info.DockerRootDir ?? '/var/lib/docker',
    };
  }

  async platform(): Promise<Platform> {
    const { answer } = await this.#api.negotiated();
    return { os: answer.Os, arch: answer.Arch };
  }

  async containers({ labels }: { labels: LabelFilter }): Promise<ContainerFacts[]> {
    const list = await this.#api.json<{ Id: string }[]>({
      operation: 'list containers',
      method: 'GET',
      path: '/containers/json',
      query: { all: 'true', filters: labelFilters(labels) },
      timeout: this.#timeouts.quick,
    });
    // The list has neither exit codes nor times; what vanished since it was made is no longer there to tell of.
    const facts = await Promise.all(list.map(({ Id }) => this.inspect(Id)));
    return facts.filter((one) => one !== undefined);
  }

  async running({ labels }: { labels: LabelFilter }): Promise<RunningContainer[]> {
    const list = await this.#api.json<ListedContainer[]>({
      operation: 'list running containers',
      method: 'GET',
      path: '/containers/json',
      query: { filters: labelFilters(labels) },
      timeout: this.#timeouts.quick,
    });
    return list.map(({ Id, Labels, HostConfig }) => ({
      id: Id,
      labels: Labels ?? {},
      hostNetwork: HostConfig?.NetworkMode === 'host',
    }));
  }

  async inspect(id: string): Promise<ContainerFacts | undefined> {
    const call = this.#container('GET', id, 'json', `inspect container ${id}`, this.#timeouts.quick);
    const { status, body } = await this.#api.call(call, [404]);
    return status === 404 ? undefined : factsOf(JSON.parse(body.toString('utf8')) as InspectAnswer);
  }

  hasImage(ref: string): Promise<boolean> {
    return hasImage(this.#api, ref);
  }

  imageDigests(ref: string): Promise<string[]> {
    return imageDigests(this.#api, ref);
  }

  image(ref: string): Promise<ImageFacts | undefined> {
    return readImage(this.#api, ref);
  }

  async imagesInUse(): Promise<string[]> {
    const list = await this.#api.json<{ ImageID: string }[]>({
      operation: 'list what images are used',
      method: 'GET',
      path: '/containers/json',
      query: { all: 'true' },
      timeout: this.#timeouts.quick,
    });
    return list.map(({ ImageID }) => ImageID);
  }

  removeImage(ref: string): Promise<void> {
    return removeImage(this.#api, ref);
  }

  pull(ref: string, on: (progress: PullProgress) => void, options: PullOptions = {}): Promise<void> {
    return pullImage(this.#api, ref, on, options);
  }

  importImage(ref: string, archive: Buffer): Promise<void> {
    return importImage(this.#api, ref, archive);
  }

  volume(name: string): Promise<VolumeFacts | undefined> {
    return findVolume(this.#api, name);
  }

  volumes({ labels }: { labels: LabelFilter }): Promise<NamedFacts[]> {
    return listVolumes(this.#api, labels);
  }

  networks({ labels }: { labels: LabelFilter }): Promise<NamedFacts[]> {
    return listNetworks(this.#api, labels);
  }

  ensureNetwork(spec: NamedSpec): Promise<string> {
    return ensureNetwork(this.#api, spec);
  }

  ensureVolume(spec: NamedSpec): Promise<void> {
    return ensureVolume(this.#api, spec);
  }

  removeNetwork(name: string): Promise<void> {
    return removeNetwork(this.#api, name);
  }

  joinNetwork(name: string, id: string, aliases: readonly string[]): Promise<void> {
    return joinNetwork(this.#api, name, id, aliases);
  }

  removeVolume(name: string): Promise<void> {
    return removeVolume(this.#api, name);
  }

  async create(spec: ContainerSpec): Promise<string> {
    const { Id } = await this.#api.json<{ Id: string }>({
      operation: `create container ${spec.name}`,
      method: 'POST',
      path: '/containers/create',
      query: { name: spec.name },
      body: containerBody(await this.#withinMachine(spec)),
      timeout: this.#timeouts.heavy,
    });
    return Id;
  }

  /** Docker refuses a limit of more CPUs than there are. Whoever allows more than there are allows all of them. */
  async #withinMachine(spec: ContainerSpec): Promise<ContainerSpec> {
    const { limits } = spec;
    if (limits.cpus === undefined || limits.cpus <= 1) return spec;
    const cpus = await this.#countCpus();
    return { ...spec, limits: { ...limits, cpus: Math.min(limits.cpus, cpus) } };
  }

  /** Asked once: Podman takes a second to answer, and a machine keeps its processors. */
  #countCpus(): Promise<number> {
    this.#cpus ??= this.info().then(({ cpus }) => cpus);
    this.#cpus.catch(() => {
      this.#cpus = undefined;
    });
    return this.#cpus;
  }

  async putFiles(id: string, files: readonly ContainerFile[]): Promise<void> {
    if (files.length === 0) return;
    const operation = `put ${files.length} files into container ${id}`;
    const call = this.#container('PUT', id, 'archive', operation, this.#timeouts.heavy);
    let body: Buffer;
    try {
      body = tarOf(files);
    } catch (cause) {
      throw new EngineProblem({ operation, kind: 'invalid', detail: (cause as Error).message, cause });
    }
    await this.#api.call({ ...call, query: { path: '/' }, body });
  }

  readArchive(id: string, path: string, signal?: AbortSignal): Promise<Readable> {
    return readArchive(this.#api, id, path, signal);
  }

  pathFacts(id: string, path: string): Promise<PathFacts> {
    return pathFacts(this.#api, id, path);
  }

  writeArchive(id: string, path: string, archive: Readable, signal?: AbortSignal): Promise<void> {
    return writeArchive(this.#api, id, path, archive, signal);
  }

  async start(id: string): Promise<void> {
    await this.#api.call(this.#container('POST', id, 'start', `start container ${id}`, this.#timeouts.heavy));
  }

  async stop(id: string, graceMs: number): Promise<void> {
    await this.#api.call(this.#graceful('stop', id, graceMs));
  }

  async restart(id: string, graceMs: number): Promise<void> {
    await this.#api.call(this.#graceful('restart', id, graceMs));
  }

  async kill(id: string, signal: string): Promise<void> {
    const call = this.#container('POST', id, 'kill', `send ${signal} to container ${id}`, this.#timeouts.heavy);
    await this.#api.call({ ...call, query: { signal } });
  }

  async remove(id: string, { force = false }: { force?: boolean } = {}): Promise<void> {
    const call = this.#container('DELETE', id, '', `remove container ${id}`, this.#timeouts.heavy);
    const { status, body } = await this.#api.call({ ...call, query: { force: String(force) } }, [404, 409]);
    // A removal that somebody else has begun ends as we want; any other conflict is one.
    if (status !== 409 || body.includes('already in progress')) return;
    const detail = JSON.parse(body.toString('utf8')).message;
    throw new EngineProblem({ operation: call.operation, kind: 'conflict', status, detail });
  }

  async rename(id: string, name: string): Promise<void> {
    const call = this.#container('POST', id, 'rename', `rename container ${id} to ${name}`, this.#timeouts.quick);
    await this.#api.call({ ...call, query: { name } });
  }

  async wait(id: string, signal?: AbortSignal): Promise<number> {
    const operation = `wait for container ${id} to end`;
    const call = this.#container('POST', id, 'wait', operation, this.#timeouts.quick);
    // The engine sends its headers at once and the rest when the container ends, however long that takes.
    const stream = await this.#api.stream({ ...call, signal }, { mayBeSilent: true });
    const text = await textOf(stream).catch((cause) => {
      if (signal?.aborted) throw cause;
      throw new EngineProblem({ operation, kind: 'unreachable', detail: 'the engine broke the stream off', cause });
    });
    if (text === '') throw new EngineProblem({ operation, kind: 'unreachable', detail: 'the engine ended the stream' });
    const { StatusCode, Error: failure } = JSON.parse(text) as {
      StatusCode: number;
      Error?: { Message?: string } | null;
    };
    if (failure?.Message) throw new EngineProblem({ operation, kind: 'failed', detail: failure.Message });
    return StatusCode;
  }

  async logs(id: string, { tail }: { tail: number }): Promise<string> {
    const operation = `read the log of container ${id}`;
    const call = this.#container('GET', id, 'logs', operation, this.#timeouts.quick);
    const query = { stdout: 'true', stderr: 'true', tail: String(tail) };
    const [facts, { body }] = await Promise.all([
      this.#api.json<{ Config: { Tty?: boolean } }>(
        this.#container('GET', id, 'json', operation, this.#timeouts.quick),
      ),
      this.#api.call({ ...call, query }),
    ]);
    // A terminal has one stream only, and no frames.
    if (facts.Config.Tty) return body.toString('utf8');
    const chunks: Buffer[] = [];
    for await (const { chunk } of demultiplex(once(body))) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  events(filter: EventFilter, on: (event: ContainerEvent) => void, signal: AbortSignal): Promise<void> {
    return followEvents(this.#api, filter, on, signal);
  }

  exec(id: string, command: ExecCommand, signal?: AbortSignal): Promise<ExecHandle> {
    return dockerExec(this.#api, id, command, signal);
  }

  close(): void {
    this.#api.close();
  }

  #container(method: Call['method'], id: string, what: string, operation: string, timeout: number): Call {
    const path = objectPath('containers', id, operation) + (what === '' ? '' : `/${what}`);
    return { operation, method, path, timeout };
  }

  #graceful(what: 'stop' | 'restart', id: string, graceMs: number): Call {
    const timeout = graceMs + this.#timeouts.stop;
    const call = this.#container('POST', id, what, `${what} container ${id}`, timeout);
    return { ...call, query: { t: String(Math.ceil(graceMs / 1_000)) } };
  }
}

/** The part of `GET /info` that we read. */
interface InfoAnswer {
  CgroupVersion?: string;
  Driver?: string;
  SecurityOptions?: string[] | null;
  Runtimes?: Record<string, unknown> | null;
  NCPU: number;
  MemTotal: number;
  DockerRootDir?: string;
}

/** The part of `GET /containers/json` that we read. */
interface ListedContainer {
  Id: string;
  Labels?: Record<string, string> | null;
  HostConfig?: { NetworkMode?: string };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* once(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
