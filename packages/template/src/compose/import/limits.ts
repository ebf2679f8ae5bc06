import type { Component, Resources } from '@hortus/contract/template/component';
import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { listOf } from './entries.ts';
import { byteSize, wholeNumber } from './quantities.ts';
import type { Reading } from './reading.ts';

type Limited = Pick<Component, 'resources' | 'ulimits' | 'shm_size' | 'replicas' | 'gpu' | 'restart' | 'logging'>;

/** Compose uses -1 for no limit; this is the maximum number of process ids of the kernel. */
const MAX_PIDS = 4_194_304;

/** Reads the limits of a component; those under `deploy` take precedence over the keys of the service. */
export function readLimits(reading: Reading, service: Record<string, unknown>, component: string, path: Path): Limited {
  const deploy = isMapping(service.deploy) ? service.deploy : {};
  const at = [...path, 'deploy'];
  const resources = isMapping(deploy.resources) ? deploy.resources : {};
  const limits = isMapping(resources.limits) ? resources.limits : {};
  const kept = isMapping(resources.reservations) ? resources.reservations : {};
  const cpu = number(reading, limits.cpus ?? service.cpus, [...path, 'cpus']);
  const memory = size(reading, limits.memory ?? service.mem_limit, [...path, 'mem_limit']);
  const reservation = size(reading, kept.memory ?? service.mem_reservation, [...path, 'mem_reservation']);
  const pids = wholeNumber(reading.settled(limits.pids ?? service.pids_limit, [...path, 'pids_limit']));
  const declared: Resources = {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(reservation === undefined ? {} : { memory_reservation: reservation }),
    ...(pids === undefined || pids === 0 ? {} : { pids: pids < 0 ? MAX_PIDS : pids }),
  };
  if (kept.cpus !== undefined)
    reading.notes.drop([...at, 'resources', 'reservations', 'cpus'], 'CPU reservations are not supported, only limits');
  const gpu = readGpu(reading, service, kept.devices, component, path);
  const replicas = wholeNumber(reading.settled(deploy.replicas ?? service.scale, [...at, 'replicas']));
  const shm = size(reading, service.shm_size, [...path, 'shm_size']);
  if (replicas === 0) reading.notes.drop([...at, 'replicas'], 'a component cannot have zero replicas');
  dropOthers(reading, deploy, at);
  const restart = readRestart(reading, service, deploy, path);
  return {
    ...(Object.keys(declared).length > 0 ? { resources: declared } : {}),
    ...readUlimits(reading, service.ulimits, [...path, 'ulimits']),
    ...(shm === undefined ? {} : { shm_size: shm }),
    ...(replicas === undefined || replicas < 2 ? {} : { replicas: Math.min(replicas, 100) }),
    ...(gpu === undefined ? {} : { gpu }),
    ...(restart === undefined ? {} : { restart }),
    ...readLogging(reading, service.logging, [...path, 'logging']),
  };
}

/** Log drivers whose files the engine limits; the server decides about other drivers. */
const LIMITED_DRIVERS = ['json-file', 'local'];

function readLogging(reading: Reading, value: unknown, path: Path): Pick<Component, 'logging'> {
  if (!isMapping(value)) return {};
  const driver = reading.settled(value.driver, [...path, 'driver']) ?? 'json-file';
  if (!LIMITED_DRIVERS.includes(driver)) {
    reading.notes.drop([...path, 'driver'], `the server chooses the log driver (${driver})`);
    return {};
  }
  const options = isMapping(value.options) ? value.options : {};
  for (const key of Object.keys(options)) {
    if (key !== 'max-size' && key !== 'max-file')
      reading.notes.drop([...path, 'options', key], `the server chooses ${key}`);
  }
  const max_size = size(reading, options['max-size'], [...path, 'options', 'max-size']);
  const files = wholeNumber(reading.settled(options['max-file'], [...path, 'options', 'max-file']));
  if (max_size === undefined) return {};
  return { logging: { max_size, max_files: Math.min(Math.max(files ?? 1, 1), 100) } };
}

const KNOWN_DEPLOY = new Set(['resources', 'replicas', 'restart_policy', 'mode']);

function dropOthers(reading: Reading, deploy: Record<string, unknown>, path: Path): void {
  for (const key of Object.keys(deploy)) {
    if (!KNOWN_DEPLOY.has(key) && !key.startsWith('x-'))
      reading.notes.drop([...path, key], `${key} applies only to clusters`);
  }
  if (deploy.mode !== undefined && deploy.mode !== 'replicated') {
    reading.notes.drop([...path, 'mode'], `mode ${String(deploy.mode)} applies only to clusters`);
  }
}

const RESTARTS = new Map<string, Component['restart']>([
  ['always', 'always'],
  ['unless-stopped', 'unless-stopped'],
  ['on-failure', 'on-failure'],
  ['no', 'no'],
  ['false', 'no'],
  ['any', 'always'],
  ['none', 'no'],
]);

/** By default Compose restarts nothing. */
function readRestart(
  reading: Reading,
  service: Record<string, unknown>,
  deploy: Record<string, unknown>,
  path: Path,
): Component['restart'] {
  const policy = isMapping(deploy.restart_policy) ? deploy.restart_policy : undefined;
  const at = policy === undefined ? [...path, 'restart'] : [...path, 'deploy', 'restart_policy'];
  for (const key of ['delay', 'max_attempts', 'window']) {
    if (policy?.[key] !== undefined) reading.notes.drop([...at, key], `the engine decides about ${key}`);
  }
  const input = service.restart ?? policy?.condition ?? (policy === undefined ? undefined : 'any');
  if (input === undefined || input === null) return undefined;
  const [word = '', attempts] = (reading.settled(input, at) ?? '').split(':');
  if (attempts !== undefined) reading.notes.drop(at, 'the engine decides about the number of attempts');
  const restart = RESTARTS.get(word);
  if (restart === undefined) reading.notes.drop(at, `${JSON.stringify(word)} is not a restart policy`);
  return restart;
}

function readUlimits(reading: Reading, value: unknown, path: Path): Pick<Component, 'ulimits'> {
  if (!isMapping(value)) return {};
  const ulimits: NonNullable<Component['ulimits']> = {};
  for (const [name, declared] of Object.entries(value)) {
    const at = [...path, name];
    const numberAt = (input: unknown) => wholeNumber(reading.settled(input, at));
    const [soft, hard] = isMapping(declared)
      ? [numberAt(declared.soft), numberAt(declared.hard)]
      : [numberAt(declared), numberAt(declared)];
    if (soft === undefined || hard === undefined || !/^[a-z]+$/.test(name) || soft < -1 || hard < -1) {
      reading.notes.drop(at, `${name} is not a valid limit`);
    } else ulimits[name] = soft === hard ? soft : { soft, hard };
  }
  return { ulimits };
}

/** Reads GPUs, in each form that Compose has had for them. */
function readGpu(
  reading: Reading,
  service: Record<string, unknown>,
  devices: unknown,
  component: string,
  path: Path,
): Component['gpu'] {
  let gpu: Component['gpu'];
  for (const { item } of listOf(devices, path)) {
    if (!isMapping(item)) continue;
    const count = item.count === 'all' || item.count === undefined ? 'all' : wholeNumber(String(item.count));
    if (item.device_ids !== undefined)
      reading.notes.drop(
        [...path, 'deploy', 'resources', 'reservations', 'devices'],
        'specific GPUs cannot be selected',
      );
    gpu = { count: count ?? 'all', ...(typeof item.driver === 'string' ? { driver: item.driver } : {}) };
  }
  if (service.gpus !== undefined) gpu = { count: 'all' };
  const runtime = service.runtime;
  if (runtime === 'nvidia') gpu ??= { count: 'all', driver: 'nvidia' };
  else if (runtime !== undefined)
    reading.notes.refuse([...path, 'runtime'], `the server chooses the runtime (${String(runtime)})`);
  if (gpu !== undefined) reading.permit('gpu', component, undefined, 'uses GPUs');
  return gpu;
}

function size(reading: Reading, value: unknown, path: Path): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = reading.settled(value, path);
  const declared = text === undefined ? undefined : byteSize(text);
  if (declared === undefined) reading.notes.drop(path, 'is not a size');
  return declared;
}

function number(reading: Reading, value: unknown, path: Path): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = reading.settled(value, path);
  if (text !== undefined && /^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return text;
  reading.notes.drop(path, 'is not a number of CPUs');
  return undefined;
}
