import { posix } from 'node:path';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { type PermissionKind, REFUSED_CAPABILITIES, REFUSED_KINDS } from '@hortus/contract/template/host-access';
import { hostPortText, type PortRange } from '../notation/port-ranges.ts';
import type { Path } from '../source/finding.ts';

/** The parts of a component that access the server, in canonical form or resolved. */
export interface Reaching {
  network: string;
  privileged: boolean;
  pid: string;
  ipc: string;
  confinement: { seccomp: string; apparmor: string; new_privileges?: boolean };
  capabilities: { add: readonly string[] };
  devices: readonly { path: string }[];
  gpu?: unknown;
  sysctls: Readonly<Record<string, unknown>>;
  storage: readonly { host_path?: string }[];
  ports: readonly PortRange[];
}

export interface Access {
  kind: PermissionKind;
  value?: string;
  /** Path in the component. */
  at: Path;
}

const SOCKETS = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
];

/** Returns all access of a component to the server beyond an ordinary container. */
export function accessOf(component: Reaching): Access[] {
  const { network, privileged, pid, ipc, confinement, capabilities, devices, gpu, sysctls, storage, ports } = component;
  const access: Access[] = [];
  const uses = (kind: PermissionKind, at: Path, value?: string | number) =>
    access.push({ kind, at, ...(value === undefined ? {} : { value: String(value) }) });
  if (network === 'host') uses('host_network', ['network']);
  if (privileged) uses('privileged', ['privileged']);
  if (pid === 'host') uses('host_pid', ['pid']);
  if (ipc === 'host') uses('host_ipc', ['ipc']);
  if (confinement.seccomp === 'unconfined') uses('unconfined', ['confinement', 'seccomp'], 'seccomp');
  if (confinement.apparmor === 'unconfined') uses('unconfined', ['confinement', 'apparmor'], 'apparmor');
  if (confinement.new_privileges) uses('new_privileges', ['confinement', 'new_privileges']);
  for (const [index, name] of capabilities.add.entries()) uses('capability', ['capabilities', 'add', index], name);
  for (const [index, device] of devices.entries()) uses('device', ['devices', index, 'path'], device.path);
  if (gpu !== undefined) uses('gpu', ['gpu']);
  for (const name of Object.keys(sysctls)) uses('sysctl', ['sysctls', name], name);
  for (const [index, { host_path }] of storage.entries()) {
    if (host_path !== undefined) access.push({ ...accessOfPath(host_path), at: ['storage', index, 'host_path'] });
  }
  for (const [index, port] of ports.entries()) {
    const text = hostPortText(port);
    if (text === undefined) continue;
    uses('host_port', ['ports', index, 'host_port'], `${text}${port.protocol === 'tcp' ? '' : `/${port.protocol}`}`);
  }
  return access;
}

/**
 * Classifies a host path. A socket mounted read-only still accepts every command, so the mount mode is irrelevant.
 * Mounting a parent directory includes the socket.
 */
export function accessOfPath(path: string): { kind: PermissionKind; value: string } {
  const whole = `${withoutTrailing(posix.normalize(path), '/')}/`;
  if (whole === '/') return { kind: 'host_root', value: path };
  const isSocket = SOCKETS.some((socket) => `${socket}/`.startsWith(whole));
  return { kind: isSocket ? 'docker_socket' : 'host_path', value: path };
}

/** Tells whether the operator of a server must allow it, in addition to the consent of the user who deploys. */
export function needsOperator({ kind, value }: { kind: PermissionKind; value?: string }): boolean {
  if (kind === 'capability') return (REFUSED_CAPABILITIES as readonly string[]).includes(value ?? '');
  return (REFUSED_KINDS as readonly string[]).includes(kind);
}

interface Declared {
  kind: PermissionKind;
  component?: string;
  value?: string;
}

/** A declaration without a component or a value covers all of them. */
export function covers(declared: Declared, component: string, access: Access): boolean {
  return (
    declared.kind === access.kind &&
    (declared.component === undefined || declared.component === component) &&
    (declared.value === undefined || access.value === undefined || declared.value === access.value)
  );
}
