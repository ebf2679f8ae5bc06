import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { type Access, accessOf } from '@hortus/template/canonical/host-access';
import { joinedPorts } from '@hortus/template/notation/port-ranges';
import { isBelow, isPlainPath, realPath } from './host-paths.ts';
import type { Policy, Refusal } from './policy.ts';

/** Compares a component's access to the server with what the operator allows. */
export function refuseHostAccess(component: ManifestComponent, policy: Policy): Refusal[] {
  // Resolve links first: /srv/media may be a link to the directory of the engine's socket.
  const storage = component.storage.map(({ host_path }) =>
    host_path === undefined ? {} : { host_path: realPath(host_path) },
  );
  const ports = joinedPorts(component.ports);
  return accessOf({ ...component, storage, ports } as Parameters<typeof accessOf>[0]).flatMap((access) => {
    const why = refuseAccess(access, policy);
    return why === undefined ? [] : [{ ...why, component: component.name }];
  });
}

export function refuseAccess(
  { kind, value = '' }: Omit<Access, 'at'>,
  policy: Policy,
): { rule: string; message: string } | undefined {
  const unless = (allowed: boolean, rule: string, what: string) =>
    allowed ? undefined : { rule, message: `${what}, which the policy of this server does not allow` };
  switch (kind) {
    case 'privileged':
      return unless(policy.privileged, 'privileged', 'requests a privileged container');
    case 'host_pid':
      return unless(policy.host_pid, 'host_pid', 'requests the host PID namespace');
    case 'host_ipc':
      return unless(policy.host_ipc, 'host_ipc', 'requests the host IPC namespace');
    case 'host_root':
      return unless(policy.host_root, 'host_root', 'requests a mount of the host root');
    case 'docker_socket':
      return unless(policy.docker_socket, 'docker_socket', `requests the engine's socket through ${value}`);
    case 'unconfined':
      return unless(policy.unconfined.includes(value), 'unconfined', `requests to run without ${value}`);
    case 'host_network':
      return unless(policy.host_network, 'host_network', 'requests the host network');
    case 'gpu':
      return unless(policy.gpu, 'gpu', 'requests GPUs');
    case 'host_path':
      return unless(
        isPlainPath(value) && policy.host_paths.some((directory) => isBelow(value, realPath(directory))),
        'host_paths',
        `requests a mount of host path ${value}`,
      );
    case 'device':
      return unless(isPlainPath(value) && policy.devices.includes(value), 'devices', `requests the device ${value}`);
    case 'new_privileges':
      return unless(policy.raise_limits, 'raise_limits', 'allows its programs to gain privileges');
    case 'capability':
      return unless(policy.capabilities.includes(value), 'capabilities', `requests the capability ${value}`);
    case 'sysctl':
      return unless(
        policy.sysctls.some((allowed) => matches(allowed, value)),
        'sysctls',
        `requests the sysctl ${value}`,
      );
    case 'host_port':
      return unless(areAllowed(value, policy.host_ports), 'host_ports', `requests host port ${value}`);
  }
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Tells whether every port of a value such as `10000-10100/udp` is in one of the allowed ranges. */
function areAllowed(value: string, allowed: readonly string[]): boolean {
  const [wanted = ''] = value.split('/');
  const [first, last] = boundsOf(wanted);
  const ranges = allowed.map(boundsOf);
  let next = first;
  while (next <= last) {
    const range = ranges.find(([from, to]) => next >= from && next <= to);
    if (range === undefined) return false;
    next = range[1] + 1;
  }
  return first <= last;
}

function boundsOf(range: string): [first: number, last: number] {
  const [first = 0, last = first] = range.split('-').map(Number);
  return [first, last];
}
