import type { ContainerFacts, ContainerState } from '../container-facts.ts';
import type { Port } from '../container-spec.ts';

/** Used fields of `GET /containers/{id}/json`. Engines omit empty values or set them to null. */
export interface InspectResponse {
  Id: string;
  Name: string;
  Image: string;
  Created: string;
  RestartCount?: number;
  State: {
    Status: ContainerState;
    ExitCode: number;
    OOMKilled?: boolean;
    Error?: string;
    Pid?: number;
    StartedAt?: string;
    FinishedAt?: string;
    Health?: { Status?: string } | null;
  };
  Config: {
    Image: string;
    Labels?: Record<string, string> | null;
    Env?: string[] | null;
    User?: string;
    Entrypoint?: string[] | null;
    Cmd?: string[] | null;
    StopTimeout?: number | null;
  };
  HostConfig: {
    NanoCpus?: number;
    Memory?: number;
    MemoryReservation?: number;
    PidsLimit?: number | null;
    NetworkMode?: string;
    Privileged?: boolean;
    ReadonlyRootfs?: boolean;
    CapAdd?: string[] | null;
    CapDrop?: string[] | null;
    PortBindings?: Record<string, { HostIp?: string; HostPort?: string }[] | null> | null;
    RestartPolicy?: { Name?: string };
  };
  Mounts?: { Type: string; Name?: string; Source: string; Destination: string; RW: boolean }[] | null;
  NetworkSettings?: { Networks?: Record<string, { IPAddress?: string; Aliases?: string[] | null } | null> | null };
}

export function factsOf(response: InspectResponse): ContainerFacts {
  const { State: state, Config: config, HostConfig: host } = response;
  const health = state.Health?.Status;
  return {
    id: response.Id,
    name: response.Name.replace(/^\//, ''),
    image: config.Image,
    imageId: response.Image,
    state: state.Status,
    health: health === 'starting' || health === 'healthy' || health === 'unhealthy' ? health : 'none',
    exitCode: state.ExitCode,
    outOfMemory: state.OOMKilled ?? false,
    error: state.Error ?? '',
    restarts: response.RestartCount ?? 0,
    startedAt: time(state.StartedAt),
    finishedAt: time(state.FinishedAt),
    createdAt: time(response.Created) ?? 0,
    pid: state.Pid ?? 0,
    labels: config.Labels ?? {},
    env: config.Env ?? [],
    user: config.User ?? '',
    entrypoint: config.Entrypoint ?? [],
    command: config.Cmd ?? [],
    restartPolicy: host.RestartPolicy?.Name || 'no',
    // Docker's default is ten seconds.
    stopGraceMs: (config.StopTimeout ?? 10) * 1_000,
    hostNetwork: host.NetworkMode === 'host',
    privileged: host.Privileged ?? false,
    readOnlyRoot: host.ReadonlyRootfs ?? false,
    capabilities: { add: host.CapAdd ?? [], drop: host.CapDrop ?? [] },
    ports: Object.entries(host.PortBindings ?? {}).flatMap(([key, places]) => publishedAt(key, places ?? [])),
    mounts: (response.Mounts ?? []).map((mount) => ({
      kind: mount.Type,
      source: mount.Type === 'volume' ? (mount.Name ?? mount.Source) : mount.Source,
      target: mount.Destination,
      readOnly: !mount.RW,
    })),
    networks: Object.entries(response.NetworkSettings?.Networks ?? {}).map(([name, network]) => ({
      name,
      address: network?.IPAddress ?? '',
      aliases: network?.Aliases ?? [],
    })),
    limits: {
      cpus: (host.NanoCpus ?? 0) / 1e9,
      memoryBytes: host.Memory ?? 0,
      memoryReservationBytes: host.MemoryReservation ?? 0,
      pids: Math.max(host.PidsLimit ?? 0, 0),
    },
  };
}

/** Parses a key such as `8080/tcp`; a port may be published at several host addresses. */
function publishedAt(key: string, places: readonly { HostIp?: string; HostPort?: string }[]): Port[] {
  const [port, protocol] = key.split('/');
  return places.map(({ HostIp = '', HostPort }) => ({
    containerPort: Number(port),
    protocol: protocol === 'udp' ? 'udp' : 'tcp',
    hostPort: Number(HostPort),
    ...(HostIp === '' ? {} : { hostIp: HostIp }),
  }));
}

/** The engine writes the year 1 for never. */
function time(text: string | undefined): number | undefined {
  if (text === undefined || text === '' || text.startsWith('0001-')) return undefined;
  return Date.parse(text);
}
