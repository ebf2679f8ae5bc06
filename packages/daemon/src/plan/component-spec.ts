import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { MAX_HOSTNAME_LENGTH } from '@hortus/template/rollout/replacement';
import type { ContainerSpec, Mount } from '../engine/container-spec.ts';
import { linkName, networkName } from './names.ts';

/** Translates a component of the manifest of an instance for the engine; the planner adds name and labels. */
export function componentSpec(component: ManifestComponent, uid: string): Omit<ContainerSpec, 'name' | 'labels'> {
  const c = component;
  const hostname = c.hostname ?? c.host;
  return {
    image: c.image,
    env: c.env,
    ...optional('entrypoint', c.entrypoint),
    ...optional('command', c.command),
    ...optional('user', c.user),
    ...optional('groups', c.group_add),
    ...optional('workingDir', c.working_dir),
    // Stable across replacements: some applications store data under their host name.
    ...(hostname.length > MAX_HOSTNAME_LENGTH ? {} : { hostname }),
    mounts: mounts(c),
    limits: {
      ...optional('cpus', c.resources.cpus),
      ...optional('memoryBytes', c.resources.memory_bytes),
      ...optional('memoryReservationBytes', c.resources.memory_reservation_bytes),
      ...optional('pids', c.resources.pids),
      ...optional('shmBytes', c.shm_size_bytes),
      ulimits: c.ulimits,
    },
    // A job that the engine restarts would never be seen to end.
    restart: c.kind === 'job' ? 'no' : c.restart,
    ports: c.ports.map((port) => ({
      containerPort: port.container_port,
      protocol: port.protocol,
      ...optional('hostPort', port.host_port),
      ...optional('hostIp', port.host_ip),
    })),
    network:
      c.network === 'host'
        ? { kind: 'host' }
        : {
            kind: 'bridge',
            name: networkName(uid),
            aliases: [c.host, ...(c.aliases ?? [])],
            ...optional(
              'links',
              c.links?.map((link) => linkName(uid, link)),
            ),
          },
    privileged: c.privileged,
    pid: c.pid,
    ipc: c.ipc,
    seccomp: c.confinement.seccomp,
    apparmor: c.confinement.apparmor,
    noNewPrivileges: c.confinement.no_new_privileges,
    capabilities: c.capabilities,
    devices: c.devices.map(({ path, container_path, access }) => ({ path, containerPath: container_path, access })),
    ...optional('gpu', c.gpu),
    sysctls: c.sysctls,
    extraHosts: c.extra_hosts,
    ...optional('nameServers', c.dns),
    ...optional(
      'logLimit',
      c.logging && {
        maxBytes: c.logging.max_bytes,
        files: c.logging.max_files,
        ...optional('byDefault', c.logging.by_default),
      },
    ),
    readOnlyRoot: c.read_only,
    init: c.init,
    tty: c.tty,
    ...optional('stdin', c.stdin),
    ...optional('stopSignal', c.stop_signal),
    stopGraceMs: c.stop_grace_period_ms,
    ...optional('healthcheck', engineCheck(c)),
  };
}

/**
 * Returns the engine's health check. Commands are also checked by the engine, so that `inspect` shows their result.
 * HTTP and TCP are probed by the daemon, so the check of the image is disabled: it could contradict the probe.
 */
function engineCheck({ healthcheck: check }: ManifestComponent): ContainerSpec['healthcheck'] {
  if (check === undefined) return undefined;
  if (check.test === undefined || check.disabled) return 'none';
  return {
    argv: check.test,
    intervalMs: check.interval_ms,
    timeoutMs: check.timeout_ms,
    startPeriodMs: check.start_period_ms,
    retries: check.retries,
  };
}

function mounts({ storage, tmpfs }: ManifestComponent): Mount[] {
  return [
    ...storage.map((item): Mount => {
      const place = { target: item.mount_path, readOnly: item.read_only };
      if (item.host_path !== undefined) return { kind: 'host', path: item.host_path, ...place };
      return { kind: 'volume', volume: item.volume ?? item.name, ...place };
    }),
    ...tmpfs.map(
      (item): Mount => ({ kind: 'tmpfs', target: item.mount_path, ...optional('sizeBytes', item.size_bytes) }),
    ),
  ];
}

/** Returns an object with the key only if the value is defined. */
function optional<K extends string, V>(key: K, value: V | undefined): { [Key in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [Key in K]?: V };
}
