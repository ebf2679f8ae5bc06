import { setTimeout as sleep } from 'node:timers/promises';
import type { LabelFilter, NamedFacts, NamedSpec, VolumeFacts } from '../engine.ts';
import { EngineProblem, isEngineProblem } from '../engine-problem.ts';
import type { DockerApi } from './docker-api.ts';
import { labelFilters } from './label-filters.ts';
import { objectPath } from './object-path.ts';

interface NamedAnswer {
  Name: string;
  Labels?: Record<string, string> | null;
}

export interface VolumeAnswer extends NamedAnswer {
  Driver?: string;
  Mountpoint?: string;
  Options?: Record<string, string> | null;
}

const named = ({ Name, Labels }: NamedAnswer): NamedFacts => ({ name: Name, labels: Labels ?? {} });

export async function listVolumes(api: DockerApi, labels: LabelFilter): Promise<NamedFacts[]> {
  const answer = await api.json<{ Volumes?: NamedAnswer[] | null }>({
    operation: 'list volumes',
    method: 'GET',
    path: '/volumes',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (answer.Volumes ?? []).map(named);
}

export async function findVolume(api: DockerApi, name: string): Promise<VolumeFacts | undefined> {
  const operation = `look for volume ${name}`;
  const path = objectPath('volumes', name, operation);
  const { status, body } = await api.call({ operation, method: 'GET', path, timeout: api.timeouts.quick }, [404]);
  if (status === 404) return undefined;
  const answer = JSON.parse(body.toString('utf8')) as VolumeAnswer;
  // With options it is something that is mounted there only while a container has it.
  const plain = answer.Driver === 'local' && Object.keys(answer.Options ?? {}).length === 0;
  const device = deviceOf(answer);
  return {
    ...named(answer),
    folder: plain ? answer.Mountpoint : undefined,
    ...(device === undefined ? {} : { device }),
  };
}

/** A device that is no path is one of the network, or none. */
export function deviceOf({ Options }: VolumeAnswer): string | undefined {
  const device = Options?.device;
  return device?.startsWith('/') ? device : undefined;
}

export async function listNetworks(api: DockerApi, labels: LabelFilter): Promise<NamedFacts[]> {
  const answer = await api.json<NamedAnswer[] | null>({
    operation: 'list networks',
    method: 'GET',
    path: '/networks',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (answer ?? []).map(named);
}

/** Making a volume that is there gives back the one that is there, whoever made it. */
export async function ensureVolume(api: DockerApi, spec: NamedSpec): Promise<void> {
  const operation = `make volume ${spec.name}`;
  const volume = await api.json<NamedAnswer>({
    operation,
    method: 'POST',
    path: '/volumes/create',
    body: { Name: spec.name, Labels: spec.labels },
    timeout: api.timeouts.heavy,
  });
  checkOwner(operation, spec, volume);
}

export async function ensureNetwork(api: DockerApi, spec: NamedSpec): Promise<string> {
  const operation = `make network ${spec.name}`;
  try {
    const { Id } = await api.json<{ Id: string }>({
      operation,
      method: 'POST',
      path: '/networks/create',
      // Engines before API 1.44 allow two networks of one name unless told not to.
      body: {
        Name: spec.name,
        Driver: 'bridge',
        CheckDuplicate: true,
        Internal: spec.internal ?? false,
        Labels: spec.labels,
      },
      timeout: api.timeouts.heavy,
    });
    return Id;
  } catch (error) {
    if (!isEngineProblem(error, 'conflict')) throw error;
    const network = await api.json<NamedAnswer & { Id: string }>({
      operation: `read network ${spec.name}`,
      method: 'GET',
      path: objectPath('networks', spec.name, operation),
      timeout: api.timeouts.quick,
    });
    checkOwner(operation, spec, network);
    return network.Id;
  }
}

function checkOwner(operation: string, spec: NamedSpec, found: NamedAnswer): void {
  const foreign = spec.owner.some((label) => found.Labels?.[label] !== spec.labels[label]);
  if (!foreign) return;
  const detail = 'one of that name exists that was not made for this definition; rename or remove it first';
  throw new EngineProblem({ operation, kind: 'conflict', detail });
}

export async function removeVolume(api: DockerApi, name: string): Promise<void> {
  const operation = `remove volume ${name}`;
  const path = objectPath('volumes', name, operation);
  await api.call({ operation, method: 'DELETE', path, timeout: api.timeouts.heavy }, [404]);
}

/** A container that was just removed lets go of its endpoint a moment after the engine has said that it is gone. */
const ENDPOINTS_LINGER_MS = 5_000;

export async function removeNetwork(api: DockerApi, name: string): Promise<void> {
  const operation = `remove network ${name}`;
  const path = objectPath('networks', name, operation);
  const patience = performance.now() + ENDPOINTS_LINGER_MS;
  while (await takeAllOff(api, name, path)) {
    try {
      await api.call({ operation, method: 'DELETE', path, timeout: api.timeouts.heavy }, [404]);
      return;
    } catch (error) {
      const lingers = isEngineProblem(error) && error.message.includes('has active endpoints');
      if (!lingers || performance.now() > patience) throw error;
      await sleep(50);
    }
  }
}

/** False if there is no such network. */
async function takeAllOff(api: DockerApi, name: string, path: string): Promise<boolean> {
  const operation = `read network ${name}`;
  const { status, body } = await api.call({ operation, method: 'GET', path, timeout: api.timeouts.quick }, [404]);
  if (status === 404) return false;
  const { Containers } = JSON.parse(body.toString('utf8')) as { Containers?: Record<string, unknown> | null };
  for (const id of Object.keys(Containers ?? {})) {
    const leave = `take container ${id} off network ${name}`;
    const call = { operation: leave, method: 'POST', path: `${path}/disconnect`, timeout: api.timeouts.heavy } as const;
    await api.call({ ...call, body: { Container: id, Force: true } }, [404]);
  }
  return true;
}

export async function joinNetwork(api: DockerApi, name: string, id: string, aliases: readonly string[]): Promise<void> {
  const operation = `put container ${id} on network ${name}`;
  const path = `${objectPath('networks', name, operation)}/connect`;
  const call = { operation, method: 'POST', path, timeout: api.timeouts.heavy } as const;
  const { status, body } = await api.call(
    { ...call, body: { Container: id, EndpointConfig: { Aliases: aliases } } },
    [403, 409],
  );
  if (status < 400 || body.includes('already exists in network')) return;
  throw new EngineProblem({ operation, kind: 'conflict', status, detail: JSON.parse(body.toString('utf8')).message });
}
