import type { Component, Resources } from '@hortus/contract/template/component';
import type { Path } from '../finding.ts';
import { isMapping } from '../schema-check.ts';
import { listOf } from './entries.ts';
import { byteSize, wholeNumber } from './quantities.ts';
import type { Reading } from './reading.ts';

type Limited = Pick<Component, 'resources' | 'ulimits' | 'shm_size' | 'replicas' | 'gpu' | 'restart' | 'logging'>;

/** Compose says -1 for no limit; the kernel has no more process ids than these. */
const MOST_PIDS = 4_194_304;

/** What a component may use at most: the keys of a service and those of `deploy`, which count more. */
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
  const told: Resources = {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(reservation === undefined ? {} : { memory_reservation: reservation }),
    ...(pids === undefined || pids === 0 ? {} : { pids: pids < 0 ? MOST_PIDS : pids }),
  };
  if (kept.cpus !== undefined)
    reading.notes.drop([...at, 'resources', 'reservations', 'cpus'], 'processors are limited, not kept free');
  const gpu = readGpu(reading, service, kept.devices, component, path);
  const replicas = wholeNumber(reading.settled(deploy.replicas ?? service.scale, [...at, 'replicas']));
  const shm = size(reading, service.shm_size, [...path, 'shm_size']);
  if (replicas === 0) reading.notes.drop([...at, 'replicas'], 'a component cannot be switched off by zero replicas');
  dropOthers(reading, deploy, at);
  const restart = readRestart(reading, service, deploy, path);
  return {
    ...(Object.keys(told).length > 0 ? { resources: told } : {}),
    ...readUlimits(reading, service.ulimits, [...path, 'ulimits']),
    ...(shm === undefined ? {} : { shm_size: shm }),
    ...(replicas === undefined || replicas < 2 ? {} : { replicas: Math.min(replicas, 100) }),
    ...(gpu === undefined ? {} : { gpu }),
    ...(restart === undefined ? {} : { restart }),
    ...readLogging(reading, service.logging, [...path, 'logging']),
  };
}

/** Drivers whose files the engine limits; what other drivers do is a matter of the server. */
const LIMITED_DRIVERS = ['json-file', 'local'];

function readLogging(reading: Reading, value: unknown, path: Path): Pick<Component, 'logging'> {
  if (!isMapping(value)) return {};
  const driver = reading.settled(value.driver, [...path, 'driver']) ?? 'json-file';
  if (!LIMITED_DRIVERS.includes(driver)) {
    reading.notes.drop([...path, 'driver'], `where logs go (${driver}) is the server's to choose`);
    return {};
  }
  const options = isMapping(value.options) ? value.options : {};
  for (const key of Object.keys(options)) {
    if (key !== 'max-size' && key !== 'max-file')
      reading.notes.drop([...path, 'options', key], `${key} is the server's to choose`);
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
      reading.notes.drop([...path, key], `${key} is about a cluster`);
  }
  if (deploy.mode !== undefined && deploy.mode !== 'replicated') {
    reading.notes.drop([...path, 'mode'], `mode ${String(deploy.mode)} is about a cluster`);
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

/** Compose itself restarts nothing unless told to. */
function readRestart(
  reading: Reading,
  service: Record<string, unknown>,
  deploy: Record<string, unknown>,
  path: Path,
): Component['restart'] {
  const policy = isMapping(deploy.restart_policy) ? deploy.restart_policy : undefined;
  const at = policy === undefined ? [...path, 'restart'] : [...path, 'deploy', 'restart_policy'];
  for (const key of ['delay', 'max_attempts', 'window']) {
    if (policy?.[key] !== undefined) reading.notes.drop([...at, key], `${key} is left to the engine`);
  }
  const given = service.restart ?? policy?.condition ?? (policy === undefined ? undefined : 'any');
  if (given === undefined || given === null) return undefined;
  const [word = '', attempts] = (reading.settled(given, at) ?? '').split(':');
  if (attempts !== undefined) reading.notes.drop(at, 'the number of attempts is left to the engine');
  const restart = RESTARTS.get(word);
  if (restart === undefined) reading.notes.drop(at, `${JSON.stringify(word)} is no restart policy`);
  return restart;
}

function readUlimits(reading: Reading, value: unknown, path: Path): Pick<Component, 'ulimits'> {
  if (!isMapping(value)) return {};
  const ulimits: NonNullable<Component['ulimits']> = {};
  for (const [name, told] of Object.entries(value)) {
    const at = [...path, name];
    const one = (given: unknown) => wholeNumber(reading.settled(given, at));
    const [soft, hard] = isMapping(told) ? [one(told.soft), one(told.hard)] : [one(told), one(told)];
    if (soft === undefined || hard === undefined || !/^[a-z]+$/.test(name) || soft < -1 || hard < -1) {
      reading.notes.drop(at, `${name} is no limit`);
    } else ulimits[name] = soft === hard ? soft : { soft, hard };
  }
  return { ulimits };
}

/** Graphics processors, in each of the ways Compose has had for them. */
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
        'which of the processors cannot be said',
      );
    gpu = { count: count ?? 'all', ...(typeof item.driver === 'string' ? { driver: item.driver } : {}) };
  }
  if (service.gpus !== undefined) gpu = { count: 'all' };
  const runtime = service.runtime;
  if (runtime === 'nvidia') gpu ??= { count: 'all', driver: 'nvidia' };
  else if (runtime !== undefined)
    reading.notes.refuse([...path, 'runtime'], `the runtime ${String(runtime)} is the server's to choose`);
  if (gpu !== undefined) reading.permit('gpu', component, undefined, 'uses graphics processors');
  return gpu;
}

function size(reading: Reading, value: unknown, path: Path): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = reading.settled(value, path);
  const told = text === undefined ? undefined : byteSize(text);
  if (told === undefined) reading.notes.drop(path, 'is no size');
  return told;
}

function number(reading: Reading, value: unknown, path: Path): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = reading.settled(value, path);
  if (text !== undefined && /^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return text;
  reading.notes.drop(path, 'is no number of processors');
  return undefined;
}
