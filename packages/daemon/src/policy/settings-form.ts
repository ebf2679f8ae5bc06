import { isIP } from 'node:net';
import type { ManifestComponent, ManifestRoute } from '@hortus/contract/template/manifest';
import { parseSchedule } from '@hortus/template/schedule';
import { isImageReference } from '../engine/docker/image-reference.ts';
import { isPlainPath } from './host-paths.ts';

const MOST_REPLICAS = 100;
const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;
const quoted = JSON.stringify;

/** The settings of a container that an engine would take apart, or take for something else, if they were not what they seem. */
export function* refuseSettings(component: ManifestComponent): Generator<string> {
  const { image, hostname, working_dir, user, group_add = [], dns = [], schedule, replicas, logging } = component;
  if (!isImageReference(image)) yield `${quoted(image)} is not an image`;
  if (hostname !== undefined && !/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(hostname)) {
    yield `${quoted(hostname)} cannot be the name of a host`;
  }
  if (working_dir !== undefined && !isPlainPath(working_dir)) yield `${quoted(working_dir)} is not a plain path`;
  for (const name of [user ?? '0', ...group_add]) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$/.test(name)) {
      yield `${quoted(name)} cannot be a user or a group`;
    }
  }
  for (const address of dns) if (isIP(address) === 0) yield `${quoted(address)} is not the address of a name server`;
  for (const [host, address] of Object.entries(component.extra_hosts)) {
    if (!/^[A-Za-z0-9.-]+$/.test(host)) yield `${quoted(host)} cannot be the name of a host`;
    if (isIP(address) === 0 && address !== 'host-gateway') yield `${quoted(address)} is not the address of a host`;
  }
  for (const { container_port, host_port, host_ip } of component.ports) {
    const ports = [container_port, ...(host_port === undefined ? [] : [host_port])];
    if (!ports.every(isPort)) yield `${ports.join(' and ')} are not ports`;
    if (host_ip !== undefined && isIP(host_ip) === 0) yield `${quoted(host_ip)} is not an address of this server`;
  }
  for (const { container_path, access } of component.devices) {
    if (!isPlainPath(container_path)) yield `${quoted(container_path)} is not a plain path`;
    if (!/^[rwm]{1,3}$/.test(access)) yield `${quoted(access)} is no access to a device`;
  }
  if (schedule !== undefined && parseSchedule(schedule) === undefined) yield `${quoted(schedule)} is no schedule`;
  if (!(replicas >= 1 && replicas <= MOST_REPLICAS)) yield `there cannot be ${replicas} of it`;
  if (logging !== undefined && logging.max_bytes < 1) yield 'its log has no room';
}

/** The ingress reads `{…}` as a placeholder, and would put things of its own in its place. */
export function* refuseRoute({ name, host, path, port }: ManifestRoute): Generator<string> {
  if (!/^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host)) {
    yield `the route ${quoted(name)} cannot have the host ${quoted(host)}`;
  }
  if (!/^\/[^\s{}*\\]*$/.test(path)) yield `the route ${quoted(name)} cannot have the path ${quoted(path)}`;
  if (!isPort(port)) yield `the route ${quoted(name)} cannot lead to port ${port}`;
}
