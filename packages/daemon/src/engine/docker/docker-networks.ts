import { setTimeout as sleep } from 'node:timers/promises';
import type { LabelFilter, NetworkFacts, NetworkSpec } from '../engine.ts';
import { EngineProblem, isEngineProblem } from '../engine-problem.ts';
import type { DockerApi } from './docker-api.ts';
import { labelFilters } from './label-filters.ts';
import { checkOwner, type NamedAnswer, named } from './named-resource.ts';
import { objectPath } from './object-path.ts';

interface NetworkAnswer extends NamedAnswer {
  Id: string;
  IPAM?: { Config?: { Subnet?: string }[] | null } | null;
  /** Only in the answer about a single network. */
  Containers?: Record<string, unknown> | null;
}

export async function listNetworks(api: DockerApi, labels: LabelFilter): Promise<NetworkFacts[]> {
  const answer = await api.json<NetworkAnswer[] | null>({
    operation: 'list networks',
    method: 'GET',
    path: '/networks',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (answer ?? []).map((network) => ({
    ...named(network),
    subnets: (network.IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []),
  }));
}

/** In the words of Docker's address manager, of its bridge driver, and of Podman. */
const OVERLAP = /pool overlaps|overlapping ipv4|is already used on the host|is being used by/i;

export async function ensureNetwork(api: DockerApi, spec: NetworkSpec): Promise<string> {
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
        ...(spec.subnet === undefined ? {} : { IPAM: { Driver: 'default', Config: [{ Subnet: spec.subnet }] } }),
      },
      timeout: api.timeouts.heavy,
    });
    return Id;
  } catch (error) {
    if (isEngineProblem(error, 'failed') && OVERLAP.test(error.message))
      throw new EngineProblem({
        operation,
        kind: 'subnet_taken',
        detail: `${spec.subnet} is used already`,
        cause: error,
      });
    if (!isEngineProblem(error, 'conflict')) throw error;
    const network = await api.json<NetworkAnswer>({
      operation: `read network ${spec.name}`,
      method: 'GET',
      path: objectPath('networks', spec.name, operation),
      timeout: api.timeouts.quick,
    });
    checkOwner(operation, spec, network);
    return network.Id;
  }
}

/**
 * How long removing a network waits for its endpoints. The engine says that a container is gone before its endpoint is, on a
 * busy machine several seconds before.
 */
const ENDPOINTS_LINGER_MS = 30_000;
const RETRY_MS = { first: 50, most: 1_000 };

/** In the words of Docker and of Podman. */
const IN_USE = /has active endpoints|has associated containers|network is being used/i;

export async function removeNetwork(api: DockerApi, name: string): Promise<void> {
  const operation = `remove network ${name}`;
  const path = objectPath('networks', name, operation);
  const end = performance.now() + ENDPOINTS_LINGER_MS;
  let wait = RETRY_MS.first;
  while (await disconnectAll(api, name, path)) {
    try {
      await api.call({ operation, method: 'DELETE', path, timeout: api.timeouts.heavy }, [404]);
      return;
    } catch (error) {
      const lingers = isEngineProblem(error) && IN_USE.test(error.message);
      if (!lingers || performance.now() > end) throw error;
      await sleep(wait);
      wait = Math.min(wait * 2, RETRY_MS.most);
    }
  }
}

/** False if there is no such network. */
async function disconnectAll(api: DockerApi, name: string, path: string): Promise<boolean> {
  const operation = `read network ${name}`;
  const { status, body } = await api.call({ operation, method: 'GET', path, timeout: api.timeouts.quick }, [404]);
  if (status === 404) return false;
  const { Containers } = JSON.parse(body.toString('utf8')) as NetworkAnswer;
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
