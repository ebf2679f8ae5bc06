import type { ContainerSpec, Mount, Port } from '../container-spec.ts';

const nanosecondsPerMillisecond = 1_000_000;

/** Builds the body of `POST /containers/create`. */
export function containerBody(spec: ContainerSpec): Record<string, unknown> {
  return {
    Image: spec.image,
    Labels: spec.labels,
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    Entrypoint: spec.entrypoint,
    Cmd: spec.command,
    User: spec.user,
    WorkingDir: spec.workingDir,
    // A container must not set the host's name.
    Hostname: spec.network.kind === 'host' ? undefined : spec.hostname,
    Tty: spec.tty,
    OpenStdin: spec.stdin,
    StopSignal: spec.stopSignal,
    StopTimeout: Math.ceil(spec.stopGraceMs / 1_000),
    ExposedPorts: Object.fromEntries(spec.ports.map((port) => [portKey(port), {}])),
    Healthcheck: healthcheck(spec.healthcheck),
    HostConfig: hostConfig(spec),
    NetworkingConfig:
      spec.network.kind === 'bridge'
        ? { EndpointsConfig: { [spec.network.name]: { Aliases: spec.network.aliases } } }
        : undefined,
  };
}

function hostConfig(spec: ContainerSpec): Record<string, unknown> {
  const { limits } = spec;
  return {
    Mounts: spec.mounts.map(mount),
    NanoCpus: limits.cpus === undefined ? undefined : Math.round(limits.cpus * 1e9),
    Memory: limits.memoryBytes,
    MemoryReservation: limits.memoryReservationBytes,
    PidsLimit: limits.pids,
    ShmSize: limits.shmBytes,
    Ulimits: Object.entries(limits.ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    RestartPolicy: { Name: spec.restart },
    PortBindings: portBindings(spec.ports),
    NetworkMode: spec.network.kind === 'bridge' ? spec.network.name : spec.network.kind,
    Privileged: spec.privileged,
    PidMode: spec.pid === 'host' ? 'host' : '',
    IpcMode: spec.ipc,
    SecurityOpt: securityOptions(spec),
    CapAdd: spec.capabilities.add,
    CapDrop: spec.capabilities.drop,
    Devices: spec.devices.map(({ path, containerPath, access }) => ({
      PathOnHost: path,
      PathInContainer: containerPath,
      CgroupPermissions: access,
    })),
    DeviceRequests: spec.gpu && [
      { Driver: spec.gpu.driver ?? '', Count: spec.gpu.count === 'all' ? -1 : spec.gpu.count, Capabilities: [['gpu']] },
    ],
    Sysctls: spec.sysctls,
    ExtraHosts: Object.entries(spec.extraHosts).map(([host, address]) => `${host}:${address}`),
    Dns: spec.nameServers,
    GroupAdd: spec.groups,
    // The driver is set explicitly, because only json-file knows these limits.
    LogConfig: spec.logLimit && {
      Type: 'json-file',
      Config: { 'max-size': String(spec.logLimit.maxBytes), 'max-file': String(spec.logLimit.files) },
    },
    ReadonlyRootfs: spec.readOnlyRoot,
    Init: spec.init,
  };
}

export function mount(item: Mount): Record<string, unknown> {
  switch (item.kind) {
    case 'volume':
      return { Type: 'volume', Source: item.volume, Target: item.target, ReadOnly: item.readOnly };
    case 'host':
      return { Type: 'bind', Source: item.path, Target: item.target, ReadOnly: item.readOnly };
    case 'tmpfs':
      return {
        Type: 'tmpfs',
        Target: item.target,
        TmpfsOptions: item.sizeBytes === undefined ? undefined : { SizeBytes: item.sizeBytes },
      };
  }
}

const portKey = ({ containerPort, protocol }: Port) => `${containerPort}/${protocol}`;

/** One container port may be published at several host addresses. */
function portBindings(ports: readonly Port[]): Record<string, { HostIp: string; HostPort: string }[]> {
  const bindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const port of ports) {
    if (port.hostPort === undefined) continue;
    const place = { HostIp: port.hostIp ?? '', HostPort: String(port.hostPort) };
    bindings[portKey(port)] = [...(bindings[portKey(port)] ?? []), place];
  }
  return bindings;
}

function securityOptions(spec: ContainerSpec): string[] {
  return [
    ...(spec.seccomp === 'unconfined' ? ['seccomp=unconfined'] : []),
    ...(spec.apparmor === 'unconfined' ? ['apparmor=unconfined'] : []),
    ...(spec.noNewPrivileges ? ['no-new-privileges'] : []),
  ];
}

export function healthcheck(check: ContainerSpec['healthcheck']): Record<string, unknown> | undefined {
  if (check === undefined) return undefined;
  if (check === 'none') return { Test: ['NONE'] };
  return {
    Test: ['CMD', ...check.argv],
    Interval: check.intervalMs * nanosecondsPerMillisecond,
    Timeout: check.timeoutMs * nanosecondsPerMillisecond,
    StartPeriod: check.startPeriodMs * nanosecondsPerMillisecond,
    Retries: check.retries,
  };
}
