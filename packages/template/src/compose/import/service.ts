import type { Component } from '@hortus/contract/template/component';
import type { Path } from '../../source/finding.ts';
import { readCommand } from './commands.ts';
import { entriesOf, listOf } from './entries.ts';
import { readEnvironment } from './environment.ts';
import { readHealthcheck } from './healthcheck.ts';
import { readReach } from './host-reach.ts';
import { readImage } from './images.ts';
import { readLimits } from './limits.ts';
import { type Mounts, readMounts } from './mounts.ts';
import { readPorts } from './ports.ts';
import { PROXY_LABEL, readProxyLabels } from './proxy-labels.ts';
import { duration } from './quantities.ts';
import type { Reading } from './reading.ts';

/** Keys that other files of this folder read. */
const READ = new Set(
  `image build environment env_file command entrypoint volumes tmpfs configs secrets ports expose healthcheck depends_on links
  volumes_from restart deploy scale cpus mem_limit mem_reservation pids_limit logging shm_size ulimits gpus runtime privileged pid ipc
  network_mode cap_add cap_drop devices sysctls security_opt userns_mode uts cgroup cgroup_parent device_cgroup_rules
  credential_spec use_api_socket user working_dir hostname read_only init tty stdin_open extra_hosts labels stop_signal
  stop_grace_period container_name networks profiles extends exclude_from_hc dns group_add pull_policy platform`.split(
    /\s+/,
  ),
);
/** Keys about how an image comes to the server, which does not change what runs. */
const DECIDED_BY_SERVER = {
  pull_policy: 'an image is pulled when the server does not have it',
  platform: 'the image is pulled for the platform of the server',
};
/** Keys without an effect on what runs. */
const WITHOUT_EFFECT = new Set(['attach', 'develop']);

/** Reads one service as a component; dependencies are added when all services are known. */
export function readService(reading: Reading, name: string, service: Record<string, unknown>): Component {
  const path = ['services', name];
  const component = reading.components.get(name) ?? name;
  const image = readImage(reading, service, component, path);
  readProxyLabels(reading, service, component, path);
  const read: Component = {
    image,
    ...some('env', readEnvironment(reading, service, component, path)),
    ...optional('entrypoint', readCommand(reading, service.entrypoint, [...path, 'entrypoint'])),
    ...optional('command', readCommand(reading, service.command, [...path, 'command'])),
    ...optional('user', line(reading.text(service.user, [...path, 'user']))),
    ...some('group_add', readWords(reading, service.group_add, [...path, 'group_add'], 32)),
    ...optional('working_dir', line(reading.text(service.working_dir, [...path, 'working_dir']))),
    ...optional('hostname', line(reading.text(service.hostname, [...path, 'hostname']))),
    ...some('ports', readPorts(reading, service, component, image, path)),
    ...optional('healthcheck', readHealthcheck(reading, service.healthcheck, [...path, 'healthcheck'])),
    ...lists(readMounts(reading, service, component, path)),
    ...readLimits(reading, service, component, path),
    ...readReach(reading, service, component, path),
    ...readSwitches(reading, service, path),
    ...some('extra_hosts', readHosts(reading, service.extra_hosts, [...path, 'extra_hosts'])),
    ...some('dns', readWords(reading, service.dns, [...path, 'dns'], 3)),
    ...some('labels', readLabels(reading, service.labels, [...path, 'labels'])),
    ...optional('stop_signal', readSignal(reading, service.stop_signal, [...path, 'stop_signal'])),
    ...optional('stop_grace_period', readGrace(reading, service.stop_grace_period, [...path, 'stop_grace_period'])),
  };
  for (const [key, meaning] of Object.entries(DECIDED_BY_SERVER)) {
    if (service[key] !== undefined && service[key] !== null) reading.notes.infer([...path, key], meaning);
  }
  for (const key of Object.keys(service)) {
    if (READ.has(key) || WITHOUT_EFFECT.has(key) || key.startsWith('x-') || service[key] === null) continue;
    reading.notes.drop([...path, key], `${key} is not supported in templates`);
  }
  return read;
}

function readSwitches(reading: Reading, service: Record<string, unknown>, path: Path): Partial<Component> {
  const on = (key: string) => reading.flag(service[key], [...path, key]) === true;
  return {
    ...(on('read_only') ? { read_only: true } : {}),
    ...(on('init') ? { init: true } : {}),
    ...(on('tty') ? { tty: true } : {}),
    ...(on('stdin_open') ? { stdin: true } : {}),
  };
}

/** Reads a list of short texts, or a single one. */
function readWords(reading: Reading, value: unknown, path: Path, max: number): string[] {
  const words = listOf(value, path).flatMap(({ item, path: at }) => line(reading.text(item, at)) ?? []);
  if (words.length > max) reading.notes.drop(path, `only the first ${max} are used`);
  return [...new Set(words)].slice(0, max);
}

/** Reads `host:address`, `host=address` or a mapping. */
function readHosts(reading: Reading, value: unknown, path: Path): Record<string, string> {
  const hosts: Record<string, string> = {};
  const separator = listOf(value, path).every(({ item }) => String(item).includes('=')) ? '=' : ':';
  for (const { key, value: optional, path: at } of entriesOf(value, path, separator)) {
    const address = reading.text(optional, at)?.trim();
    if (address === undefined || !/^[A-Za-z0-9.-]+$/.test(key)) reading.notes.drop(at, 'is not a host with an address');
    else hosts[key] = address.replace(/^\[|\]$/g, '');
  }
  return hosts;
}

function readLabels(reading: Reading, value: unknown, path: Path): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const { key, value: optional, path: at } of entriesOf(value, path)) {
    if (PROXY_LABEL.test(key)) reading.notes.infer(at, 'it is for a reverse proxy; routes replace it');
    else if (key !== '') labels[key] = optional === null ? '' : (reading.text(optional, at) ?? '');
  }
  return labels;
}

function readSignal(reading: Reading, value: unknown, path: Path): string | undefined {
  if (value === undefined || value === null) return undefined;
  const name = (reading.settled(value, path) ?? '').toUpperCase();
  const signal = name.startsWith('SIG') ? name : `SIG${name}`;
  if (/^SIG[A-Z][A-Z0-9+]*$/.test(signal)) return signal;
  reading.notes.drop(path, 'is not the name of a signal');
  return undefined;
}

function readGrace(reading: Reading, value: unknown, path: Path): string | undefined {
  if (value === undefined || value === null) return undefined;
  const time = duration(reading.settled(value, path) ?? '');
  if (time === undefined) reading.notes.drop(path, 'is not a duration');
  return time;
}

function line(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text.slice(0, 200);
}

function optional<K extends string, V>(key: K, value: V | undefined): { [Key in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [Key in K]?: V };
}

function some<K extends string, V extends object>(key: K, value: V): { [Key in K]?: V } {
  return optional(key, Object.keys(value).length > 0 ? value : undefined);
}

function lists(mounts: Mounts): Partial<Mounts> {
  return Object.fromEntries(Object.entries(mounts).filter(([, list]) => list.length > 0));
}
