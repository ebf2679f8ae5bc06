import type { ServiceSpec, UpdateRule } from '../cluster.ts';
import type { ContainerSpec } from '../container-spec.ts';
import { healthcheck, mount } from './container-body.ts';

const nanosecondsPerMillisecond = 1_000_000;

/**
 * Translates a specification for `POST /services/create`. Fields that services do not have, such as devices, must have been
 * refused before; they are not translated.
 */
export function serviceBody(spec: ServiceSpec): ServiceBody {
  const { container, labels, files, mode, constraints, spread, update } = spec;
  return {
    Name: container.name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: taskContainer(container, files),
      Resources: resources(container),
      RestartPolicy: restartPolicy(container, mode),
      Placement: {
        Constraints: [...constraints],
        Preferences: spread === undefined ? [] : [{ Spread: { SpreadDescriptor: spread } }],
      },
      Networks: networks(spec),
      LogDriver: container.logLimit && {
        Name: 'json-file',
        Options: {
          'max-size': String(container.logLimit.maxBytes),
          'max-file': String(container.logLimit.files),
        },
      },
    },
    ...(mode.kind === 'job'
      ? { Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } } }
      : {
          Mode: mode.kind === 'global' ? { Global: {} } : { Replicated: { Replicas: mode.replicas } },
          UpdateConfig: update && { ...replacement(update), FailureAction: update.onFailure ?? 'rollback' },
          RollbackConfig: update && { ...replacement(update), FailureAction: 'pause' },
        }),
    // Virtual addresses and the routing mesh need IPVS, which some kernels lack; both then fail silently.
    EndpointSpec: { Mode: 'dnsrr', Ports: ports(container) },
  };
}

/** A part of the Swarm's own specification that is read back and changed; the rest is passed on as it was. */
export interface ServiceBody {
  Name: string;
  Labels?: Record<string, string> | null;
  TaskTemplate: {
    ContainerSpec: {
      Image: string;
      Labels?: Record<string, string> | null;
      Secrets?: { SecretID: string }[] | null;
      [other: string]: unknown;
    };
    Placement?: { Constraints?: string[] | null; [other: string]: unknown } | null;
    Networks?: { Target?: string; Aliases?: string[] | null }[] | null;
    ForceUpdate?: number;
    [other: string]: unknown;
  };
  Mode: { Replicated?: { Replicas?: number } | null; ReplicatedJob?: object | null; Global?: object | null };
  [other: string]: unknown;
}

function taskContainer(spec: ContainerSpec, files: ServiceSpec['files']): ServiceBody['TaskTemplate']['ContainerSpec'] {
  const { limits } = spec;
  const shm = limits.shmBytes === undefined ? [] : [{ kind: 'tmpfs', target: '/dev/shm', sizeBytes: limits.shmBytes }];
  return {
    Image: spec.image,
    Labels: spec.labels,
    Command: spec.entrypoint,
    Args: spec.command,
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    Dir: spec.workingDir,
    User: spec.user,
    Groups: spec.groups,
    Hostname: spec.network.kind === 'host' ? undefined : spec.hostname,
    TTY: spec.tty,
    OpenStdin: spec.stdin,
    ReadOnly: spec.readOnlyRoot,
    Init: spec.init,
    StopSignal: spec.stopSignal,
    StopGracePeriod: spec.stopGraceMs * nanosecondsPerMillisecond,
    Healthcheck: healthcheck(spec.healthcheck),
    // Services have no size of /dev/shm, but can mount a tmpfs there.
    Mounts: [...spec.mounts, ...(shm as ContainerSpec['mounts'])].map((mount) => mounted(mount, spec)),
    Secrets: files.map(({ id, name, path, mode }) => ({
      SecretID: id,
      SecretName: name,
      File: { Name: path, UID: '0', GID: '0', Mode: Number.parseInt(mode, 8) },
    })),
    // Here the address comes first, unlike in the body of a container.
    Hosts: Object.entries(spec.extraHosts).map(([host, address]) => `${address} ${host}`),
    DNSConfig: spec.nameServers && { Nameservers: spec.nameServers },
    Sysctls: spec.sysctls,
    CapabilityAdd: spec.capabilities.add,
    CapabilityDrop: spec.capabilities.drop,
    Ulimits: Object.entries(limits.ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
  };
}

/** The node creates a missing volume with the labels of the container, so that its owner is known. */
function mounted(item: ContainerSpec['mounts'][number], { volumeLabels }: ContainerSpec): Record<string, unknown> {
  const body = mount(item);
  return item.kind === 'volume' ? { ...body, VolumeOptions: { Labels: volumeLabels ?? {} } } : body;
}

function resources({ limits }: ContainerSpec): object {
  return {
    Limits: {
      NanoCPUs: limits.cpus === undefined ? undefined : Math.round(limits.cpus * 1e9),
      MemoryBytes: limits.memoryBytes,
      Pids: limits.pids,
    },
    Reservations: { MemoryBytes: limits.memoryReservationBytes },
  };
}

function restartPolicy({ restart }: ContainerSpec, mode: ServiceSpec['mode']): object {
  if (mode.kind === 'job' || restart === 'no') return { Condition: 'none' };
  const Condition = restart === 'on-failure' ? 'on-failure' : 'any';
  return { Condition, Delay: RESTART_DELAY_MS * nanosecondsPerMillisecond };
}

/** Pause before a failed task is replaced; the engine's five seconds would double most outages. */
const RESTART_DELAY_MS = 1_000;

const networks = ({ container: { network }, networks = [] }: ServiceSpec): object[] => {
  if (network.kind !== 'bridge') return [{ Target: network.kind }];
  return [network, ...networks].map(({ name, aliases }) => ({ Target: name, Aliases: [...aliases] }));
};

const ports = ({ ports }: ContainerSpec): object[] =>
  ports.flatMap(({ containerPort, hostPort, protocol }) =>
    hostPort === undefined
      ? []
      : { Protocol: protocol, TargetPort: containerPort, PublishedPort: hostPort, PublishMode: 'host' },
  );

/** One task at a time, so that at most one is missing or added. */
const replacement = ({ order, monitorMs }: UpdateRule): object => ({
  Parallelism: 1,
  Monitor: monitorMs * nanosecondsPerMillisecond,
  MaxFailureRatio: 0,
  Order: order,
});
