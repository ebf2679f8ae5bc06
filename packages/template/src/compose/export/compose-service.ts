import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { hostPortText, joinedPorts, portText } from '../../notation/port-ranges.ts';
import { type ComposeFile, escaped } from './compose-file.ts';
import { composeHealthcheck } from './compose-healthcheck.ts';
import { composeDuration, composeSize } from './compose-quantities.ts';

const CONDITIONS = {
  started: 'service_started',
  healthy: 'service_healthy',
  completed: 'service_completed_successfully',
};

/** Converts a resolved component into a Compose service. */
export function composeService(component: ManifestComponent, file: ComposeFile): Record<string, unknown> {
  const c = component;
  const service: Record<string, unknown> = {
    image: escaped(c.image),
    entrypoint: c.entrypoint?.map(escaped),
    command: c.command?.map(escaped),
    user: c.user && escaped(c.user),
    group_add: c.group_add?.map(escaped),
    working_dir: c.working_dir && escaped(c.working_dir),
    hostname: c.hostname && escaped(c.hostname),
    environment: mapped(c.env),
    volumes: mounts(c, file),
    tmpfs: c.tmpfs.map(({ mount_path, size_bytes }) =>
      size_bytes === undefined ? mount_path : `${mount_path}:size=${composeSize(size_bytes)}`,
    ),
    configs: c.files.map(({ mount_path, mode, content }) => ({
      source: file.config(c.name, content),
      target: escaped(mount_path),
      mode: Number.parseInt(mode, 8),
    })),
    ports: ports(c, file),
    expose: joinedPorts(
      c.ports.filter(
        ({ container_port, host_port, protocol }) =>
          host_port === undefined && !(protocol === 'tcp' && file.routedPorts(c.name).includes(container_port)),
      ),
    ).map((port) => `${portText(port)}${port.protocol === 'udp' ? '/udp' : ''}`),
    networks:
      file.aliasesOf(c).length > 0 && c.network !== 'host' ? { default: { aliases: file.aliasesOf(c) } } : undefined,
    depends_on: Object.fromEntries(
      Object.entries(c.depends_on).map(([name, condition]) => [
        file.serviceOf(name),
        { condition: CONDITIONS[condition] },
      ]),
    ),
    healthcheck: composeHealthcheck(c, file),
    restart: c.restart,
    ...limits(c),
    ...reach(c),
    read_only: c.read_only || undefined,
    init: c.init || undefined,
    tty: c.tty || undefined,
    stdin_open: c.stdin || undefined,
    dns: c.dns?.map(escaped),
    extra_hosts: mapped(c.extra_hosts),
    labels: mapped(c.labels),
    stop_signal: c.stop_signal,
    stop_grace_period: c.stop_grace_period_ms === 10_000 ? undefined : composeDuration(c.stop_grace_period_ms),
  };
  if (c.run === 'schedule') file.dropped.push(`${c.name}: the schedule ${c.schedule ?? ''}; Compose starts it once`);
  if (c.run === 'after_start') file.dropped.push(`${c.name}: the run after start; Compose starts it with the others`);
  return withoutEmpty(service);
}

function mounts({ storage }: ManifestComponent, file: ComposeFile): unknown[] {
  return storage.map(({ name, host_path, mount_path, read_only }) => ({
    type: host_path === undefined ? 'volume' : 'bind',
    source: host_path === undefined ? file.volume(name) : escaped(host_path),
    target: escaped(mount_path),
    ...(read_only ? { read_only: true } : {}),
  }));
}

function ports(c: ManifestComponent, file: ComposeFile): string[] {
  if (c.network === 'host') return [];
  const fixed = joinedPorts(c.ports.filter(({ host_port }) => host_port !== undefined)).map((port) => {
    const { host_ip, protocol } = port;
    const ip = host_ip === undefined ? '' : `${host_ip.includes(':') ? `[${host_ip}]` : host_ip}:`;
    return `${ip}${hostPortText(port)}:${portText(port)}${protocol === 'udp' ? '/udp' : ''}`;
  });
  const published = new Set(
    c.ports
      .filter(({ host_port, protocol }) => host_port !== undefined && protocol === 'tcp')
      .map((port) => port.container_port),
  );
  const routed = file
    .routedPorts(c.name)
    .filter((port) => !published.has(port))
    .map((port) => (file.isFree(port, c.name) ? `${port}:${port}` : String(port)));
  return [...fixed, ...routed];
}

function limits(c: ManifestComponent): Record<string, unknown> {
  const { cpus, memory_bytes, memory_reservation_bytes, pids } = c.resources;
  const bounds = withoutEmpty({
    cpus: cpus === undefined ? undefined : String(cpus),
    memory: memory_bytes === undefined ? undefined : composeSize(memory_bytes),
    pids,
  });
  const kept = withoutEmpty({
    memory: memory_reservation_bytes === undefined ? undefined : composeSize(memory_reservation_bytes),
    devices: c.gpu && [{ driver: c.gpu.driver ?? 'nvidia', count: c.gpu.count, capabilities: ['gpu'] }],
  });
  return {
    shm_size: c.shm_size_bytes === undefined ? undefined : composeSize(c.shm_size_bytes),
    ulimits: c.ulimits,
    logging: c.logging && {
      driver: 'json-file',
      options: { 'max-size': composeSize(c.logging.max_bytes), 'max-file': String(c.logging.max_files) },
    },
    deploy: withoutEmpty({
      replicas: c.replicas > 1 ? c.replicas : undefined,
      resources: withoutEmpty({ limits: bounds, reservations: kept }),
    }),
  };
}

function reach(c: ManifestComponent): Record<string, unknown> {
  const { seccomp, apparmor, no_new_privileges } = c.confinement;
  return {
    privileged: c.privileged || undefined,
    pid: c.pid === 'host' ? 'host' : undefined,
    ipc: c.ipc === 'host' ? 'host' : undefined,
    network_mode: c.network === 'host' ? 'host' : undefined,
    cap_add: c.capabilities.add,
    cap_drop: c.capabilities.drop,
    devices: c.devices.map(({ path, container_path, access }) => `${path}:${container_path}:${access}`),
    sysctls: c.sysctls,
    security_opt: [
      ...(seccomp === 'unconfined' ? ['seccomp=unconfined'] : []),
      ...(apparmor === 'unconfined' ? ['apparmor=unconfined'] : []),
      ...(no_new_privileges ? ['no-new-privileges:true'] : []),
    ],
  };
}

function mapped(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, escaped(value)]));
}

function withoutEmpty(value: Record<string, unknown>): Record<string, unknown> {
  const empty = (item: unknown) =>
    item === undefined || (typeof item === 'object' && item !== null && Object.keys(item).length === 0);
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => !empty(inner)));
}
