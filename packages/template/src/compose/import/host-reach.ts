import type { Component } from '@hortus/contract/template/component';
import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { entriesOf, listOf } from './entries.ts';
import type { Reading } from './reading.ts';

type Reach = Pick<
  Component,
  'privileged' | 'pid' | 'ipc' | 'network' | 'capabilities' | 'devices' | 'sysctls' | 'confinement'
>;

/** Keys that are always refused: each exposes a part of the server for which a template has no permission. */
const REFUSED: Record<string, string> = {
  userns_mode: 'the engine chooses the user namespace',
  uts: 'the UTS namespace of the server cannot be shared',
  cgroup: 'cgroups of the server cannot be shared',
  cgroup_parent: 'the engine chooses cgroups',
  device_cgroup_rules: 'device rules are not supported',
  credential_spec: 'credentials of the server are not passed to containers',
  use_api_socket: 'the API of the engine is not passed to containers',
};

/** Reads everything of a service that goes beyond an ordinary container: each becomes a permission or is refused. */
export function readReach(reading: Reading, service: Record<string, unknown>, component: string, path: Path): Reach {
  const reach: Reach = {};
  if (reading.flag(service.privileged, [...path, 'privileged'])) {
    reach.privileged = true;
    reading.permit('privileged', component, undefined, 'runs privileged');
  }
  for (const key of ['pid', 'ipc'] as const) {
    const mode = reading.settled(service[key], [...path, key]);
    if (mode === 'host') {
      reach[key] = 'host';
      reading.permit(
        key === 'pid' ? 'host_pid' : 'host_ipc',
        component,
        undefined,
        `shares the server's ${key} namespace`,
      );
    } else if (service[key] !== undefined && mode !== 'private' && mode !== 'shareable') {
      reading.notes.refuse([...path, key], `${key}: ${mode ?? 'a variable'} is not supported`);
    }
  }
  readNetworkMode(reading, service.network_mode, component, reach, [...path, 'network_mode']);
  readCapabilities(reading, service, component, reach, path);
  readDevices(reading, service.devices, component, reach, [...path, 'devices']);
  readSysctls(reading, service.sysctls, component, reach, [...path, 'sysctls']);
  readConfinement(reading, service.security_opt, component, reach, [...path, 'security_opt']);
  for (const [key, why] of Object.entries(REFUSED)) {
    if (service[key] !== undefined && service[key] !== null) reading.notes.refuse([...path, key], why);
  }
  return reach;
}

function readNetworkMode(reading: Reading, value: unknown, component: string, reach: Reach, path: Path): void {
  if (value === undefined || value === null) return;
  const mode = reading.settled(value, path);
  if (mode === 'host') {
    reach.network = 'host';
    reading.permit('host_network', component, undefined, 'uses the network of the server');
  } else if (mode?.startsWith('service:') || mode?.startsWith('container:')) {
    reading.notes.fail(
      path,
      `network_mode ${mode} is not supported: the component would use its own network, so its traffic would leave by another way`,
    );
  } else if (mode !== 'bridge' && mode !== 'default') {
    reading.notes.refuse(
      path,
      `network_mode ${mode ?? 'from a variable'} is not supported; components share a private network`,
    );
  }
}

function readCapabilities(
  reading: Reading,
  service: Record<string, unknown>,
  component: string,
  reach: Reach,
  path: Path,
): void {
  const names = (key: 'cap_add' | 'cap_drop'): string[] =>
    listOf(service[key], [...path, key]).flatMap(({ item, path: at }) => {
      const name = reading.settled(item, at)?.toUpperCase().replace(/^CAP_/, '') ?? '';
      if (/^[A-Z][A-Z0-9_]*$/.test(name)) return [name];
      reading.notes.refuse(at, 'is not a capability');
      return [];
    });
  const add = [...new Set(names('cap_add'))];
  const drop = [...new Set(names('cap_drop'))];
  for (const name of add) reading.permit('capability', component, name, `needs the capability ${name}`);
  if (add.length + drop.length > 0) {
    reach.capabilities = { ...(add.length > 0 ? { add } : {}), ...(drop.length > 0 ? { drop } : {}) };
  }
}

function readDevices(reading: Reading, value: unknown, component: string, reach: Reach, path: Path): void {
  const devices: NonNullable<Component['devices']> = [];
  for (const { item, path: at } of listOf(value, path)) {
    const long = isMapping(item) ? item : undefined;
    const text = reading.settled(long ? long.source : item, at) ?? '';
    const [source = '', target, access] = text.split(':');
    const inside = long ? reading.settled(long.target, at) : target;
    const rights = long ? reading.settled(long.permissions, at) : access;
    if (!source.startsWith('/dev/')) {
      reading.notes.refuse(at, `${source || 'a device from a variable'} is not a device under /dev`);
      continue;
    }
    devices.push({
      path: source,
      ...(inside === undefined || inside === source || !inside.startsWith('/') ? {} : { container_path: inside }),
      ...(rights === undefined || !/^r?w?m?$/.test(rights) || rights === '' ? {} : { access: rights }),
    });
    reading.permit('device', component, source, `uses the device ${source}`);
  }
  if (devices.length > 0) reach.devices = devices;
}

function readSysctls(reading: Reading, value: unknown, component: string, reach: Reach, path: Path): void {
  const sysctls: Record<string, string> = {};
  for (const { key, value: input, path: at } of entriesOf(value, path)) {
    const text = reading.settled(input, at);
    if (text === undefined || !/^[a-z0-9_.-]+$/.test(key)) {
      reading.notes.refuse(at, `the kernel parameter ${key} has no value or an invalid name`);
      continue;
    }
    sysctls[key] = text;
    reading.permit('sysctl', component, key, `sets ${key}`);
  }
  if (Object.keys(sysctls).length > 0) reach.sysctls = sysctls;
}

function readConfinement(reading: Reading, value: unknown, component: string, reach: Reach, path: Path): void {
  for (const { item, path: at } of listOf(value, path)) {
    const [key = '', declared = ''] = (reading.settled(item, at) ?? '').split(/[=:](.*)/s);
    if ((key === 'seccomp' || key === 'apparmor') && declared === 'unconfined') {
      reach.confinement = { ...reach.confinement, [key]: 'unconfined' };
      reading.permit('unconfined', component, key, `runs without ${key}`);
    } else if (key === 'no-new-privileges') {
      if (declared !== 'false') reach.confinement = { ...reach.confinement, no_new_privileges: true };
      else {
        reach.confinement = { ...reach.confinement, new_privileges: true };
        reading.permit('new_privileges', component, undefined, 'lets programs gain privileges, as sudo does');
      }
    } else reading.notes.refuse(at, `the server chooses the security option ${key}`);
  }
}
