import type { ContainerFacts } from '../container-facts.ts';
import type { ContainerSpec } from '../container-spec.ts';
import type { EngineInfo, LabelFilter, RunningContainer } from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';
import type { Call } from './connection.ts';
import { containerBody } from './container-body.ts';
import type { DockerApi } from './docker-api.ts';
import { joinNetwork } from './docker-networks.ts';
import { factsOf, type InspectResponse } from './inspect-response.ts';
import { labelFilters } from './label-filters.ts';
import { objectPath } from './object-path.ts';

export async function listContainers(api: DockerApi, labels: LabelFilter): Promise<ContainerFacts[]> {
  const list = await api.json<{ Id: string }[]>({
    operation: 'list containers',
    method: 'GET',
    path: '/containers/json',
    query: { all: 'true', filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  // The list lacks exit codes and times. Skip containers that were removed since.
  const facts = await Promise.all(list.map(({ Id }) => inspectContainer(api, Id)));
  return facts.filter((fact) => fact !== undefined);
}

/** Used fields of `GET /containers/json`. */
interface ListedContainer {
  Id: string;
  Labels?: Record<string, string> | null;
  HostConfig?: { NetworkMode?: string };
}

export async function listRunning(api: DockerApi, labels: LabelFilter): Promise<RunningContainer[]> {
  const list = await api.json<ListedContainer[]>({
    operation: 'list running containers',
    method: 'GET',
    path: '/containers/json',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return list.map(({ Id, Labels, HostConfig }) => ({
    id: Id,
    labels: Labels ?? {},
    hostNetwork: HostConfig?.NetworkMode === 'host',
  }));
}

export async function inspectContainer(api: DockerApi, id: string): Promise<ContainerFacts | undefined> {
  const call = containerCall('GET', id, 'json', `inspect container ${id}`, api.timeouts.quick);
  const { status, body } = await api.call(call, [404]);
  return status === 404 ? undefined : factsOf(JSON.parse(body.toString('utf8')) as InspectResponse);
}

export async function createContainer(
  api: DockerApi,
  spec: ContainerSpec,
  known: () => Promise<EngineInfo>,
): Promise<string> {
  const call = {
    operation: `create container ${spec.name}`,
    method: 'POST',
    path: '/containers/create',
    query: { name: spec.name },
    body: containerBody(await fitting(spec, known)),
    timeout: api.timeouts.heavy,
  } as const;
  const { Id } = await api.starting.run(() => api.json<{ Id: string }>(call));
  // Engines before API 1.44 accept one network at creation.
  if (spec.network.kind === 'bridge') for (const link of spec.network.links ?? []) await joinNetwork(api, link, Id, []);
  return Id;
}

/**
 * Adapts a specification to the engine: Docker rejects more CPUs than the machine has, and a default log limit must not
 * override a log driver that the operator chose.
 */
async function fitting(spec: ContainerSpec, known: () => Promise<EngineInfo>): Promise<ContainerSpec> {
  const { limits, logLimit, ...rest } = spec;
  const isWide = limits.cpus !== undefined && limits.cpus > 1;
  if (!isWide && !logLimit?.byDefault) return spec;
  const { cpus, logDriver } = await known();
  const keepsDriver = logLimit?.byDefault && logDriver !== '' && logDriver !== 'json-file';
  return {
    ...rest,
    limits: isWide ? { ...limits, cpus: Math.min(limits.cpus ?? cpus, cpus) } : limits,
    ...(logLimit === undefined || keepsDriver ? {} : { logLimit }),
  };
}

export async function startContainer(api: DockerApi, id: string): Promise<void> {
  const call = containerCall('POST', id, 'start', `start container ${id}`, api.timeouts.heavy);
  await api.starting.run(() => api.call(call));
}

export async function stopContainer(api: DockerApi, id: string, graceMs: number): Promise<void> {
  const call = containerCall('POST', id, 'stop', `stop container ${id}`, graceMs + api.timeouts.stop);
  await api.call({ ...call, query: { t: String(Math.ceil(graceMs / 1_000)) } });
}

export async function killContainer(api: DockerApi, id: string, signal: string): Promise<void> {
  const call = containerCall('POST', id, 'kill', `send ${signal} to container ${id}`, api.timeouts.heavy);
  await api.call({ ...call, query: { signal } });
}

export async function removeContainer(api: DockerApi, id: string, force: boolean): Promise<void> {
  const call = containerCall('DELETE', id, '', `remove container ${id}`, api.timeouts.heavy);
  const { status, body } = await api.call({ ...call, query: { force: String(force) } }, [404, 409]);
  // Another removal in progress has the same result; other conflicts are errors.
  if (status !== 409 || body.includes('already in progress')) return;
  const detail = JSON.parse(body.toString('utf8')).message;
  throw new EngineProblem({ operation: call.operation, kind: 'conflict', status, detail });
}

export async function renameContainer(api: DockerApi, id: string, name: string): Promise<void> {
  const call = containerCall('POST', id, 'rename', `rename container ${id} to ${name}`, api.timeouts.quick);
  await api.call({ ...call, query: { name } });
}

export async function waitForContainer(api: DockerApi, id: string, signal?: AbortSignal): Promise<number> {
  const operation = `wait for container ${id} to end`;
  const call = containerCall('POST', id, 'wait', operation, api.timeouts.quick);
  // The engine sends headers at once and the rest when the container stops, however long that takes.
  const stream = await api.stream({ ...call, signal }, { mayBeSilent: true });
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

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function containerCall(method: Call['method'], id: string, what: string, operation: string, timeout: number): Call {
  const path = objectPath('containers', id, operation) + (what === '' ? '' : `/${what}`);
  return { operation, method, path, timeout };
}
