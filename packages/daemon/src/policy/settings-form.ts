import { isIP } from 'node:net';
import { MAX_PORTS } from '@hortus/contract/template/host-access';
import type { ManifestComponent, ManifestRoute } from '@hortus/contract/template/manifest';
import { parseSchedule } from '@hortus/template/notation/schedule';
import { isImageReference } from '../engine/docker/image-reference.ts';
import { isPlainPath } from './host-paths.ts';

const MAX_REPLICAS = 100;
const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;
const quoted = JSON.stringify;

/** Finds settings that an engine would split or interpret as something else. */
export function* refuseSettings(component: ManifestComponent): Generator<string> {
  const { image, hostname, working_dir, user, group_add = [], dns = [], schedule, replicas, logging } = component;
  if (!isImageReference(image)) yield `${quoted(image)} is not a valid image reference`;
  if (hostname !== undefined && !/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(hostname)) {
    yield `${quoted(hostname)} is not a valid host name`;
  }
  if (working_dir !== undefined && !isPlainPath(working_dir))
    yield `${quoted(working_dir)} is not an absolute path without . and ..`;
  for (const name of [user ?? '0', ...group_add]) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$/.test(name)) {
      yield `${quoted(name)} is not a valid user or group`;
    }
  }
  for (const address of dns) if (isIP(address) === 0) yield `${quoted(address)} is not the IP address of a name server`;
  for (const [host, address] of Object.entries(component.extra_hosts)) {
    if (!/^[A-Za-z0-9.-]+$/.test(host)) yield `${quoted(host)} is not a valid host name`;
    if (isIP(address) === 0 && address !== 'host-gateway') yield `${quoted(address)} is not the IP address of a host`;
  }
  if (component.ports.length > MAX_PORTS)
    yield `${component.ports.length} ports are not allowed; the limit is ${MAX_PORTS}`;
  for (const { container_port, host_port, host_ip } of component.ports) {
    const ports = [container_port, ...(host_port === undefined ? [] : [host_port])];
    if (!ports.every(isPort)) yield `${ports.join(' and ')} are not valid ports`;
    if (host_ip !== undefined && isIP(host_ip) === 0) yield `${quoted(host_ip)} is not an IP address`;
  }
  for (const { container_path, access } of component.devices) {
    if (!isPlainPath(container_path)) yield `${quoted(container_path)} is not an absolute path without . and ..`;
    if (!/^[rwm]{1,3}$/.test(access)) yield `${quoted(access)} is not a valid device access`;
  }
  if (schedule !== undefined && parseSchedule(schedule) === undefined)
    yield `${quoted(schedule)} is not a valid schedule`;
  if (!(replicas >= 1 && replicas <= MAX_REPLICAS))
    yield `${replicas} replicas are not allowed; the limit is ${MAX_REPLICAS}`;
  if (logging !== undefined && logging.max_bytes < 1) yield 'the size limit of the log must be positive';
}

/** Rejects placeholders: the ingress would replace `{…}` by values of its own. */
export function* refuseRoute({ name, host, path, port }: ManifestRoute): Generator<string> {
  if (!/^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host)) {
    yield `the route ${quoted(name)} cannot have the host ${quoted(host)}`;
  }
  if (!/^\/[^\s{}*\\]*$/.test(path)) yield `the route ${quoted(name)} cannot have the path ${quoted(path)}`;
  if (!isPort(port)) yield `the route ${quoted(name)} cannot use port ${port}`;
}
