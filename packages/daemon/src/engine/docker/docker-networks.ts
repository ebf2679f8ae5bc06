import { setTimeout as sleep } from 'node:timers/promises';
import type { OverlaySpec } from '../cluster.ts';
import type { LabelFilter, NetworkFacts, NetworkRemoval, NetworkSpec } from '../engine.ts';
import { EngineProblem, isEngineProblem } from '../engine-problem.ts';
import type { DockerApi } from './docker-api.ts';
import { labelFilters } from './label-filters.ts';
import { checkOwner, type NamedResponse, named } from './named-resource.ts';
import { objectPath } from './object-path.ts';

interface NetworkResponse extends NamedResponse {
  Id: string;
  IPAM?: { Config?: { Subnet?: string }[] | null } | null;
  /** Only in the response for a single network: endpoints by the id of their container. */
  Containers?: Record<string, { Name?: string; IPv4Address?: string }> | null;
}

export async function listNetworks(api: DockerApi, labels: LabelFilter): Promise<NetworkFacts[]> {
  const response = await api.json<NetworkResponse[] | null>({
    operation: 'list networks',
    method: 'GET',
    path: '/networks',
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (response ?? []).map((network) => ({
    ...named(network),
    subnets: (network.IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []),
  }));
}

/** Messages of Docker's address manager, its bridge driver, and Podman. */
const OVERLAP = /pool overlaps|overlapping ipv4|is already used on the host|is being used by/i;

export async function ensureNetwork(api: DockerApi, spec: NetworkSpec): Promise<string> {
  const operation = `create network ${spec.name}`;
  try {
    const { Id } = await api.json<{ Id: string }>({
      operation,
      method: 'POST',
      path: '/networks/create',
      // Before API 1.44 engines allow two networks of the same name without this.
      body: {
        Name: spec.name,
        Driver: 'bridge',
        CheckDuplicate: true,
        Internal: spec.internal ?? false,
        Labels: spec.labels,
        ...(spec.subnet === undefined ? {} : { IPAM: { Driver: 'default', Config: [ipam(spec)] } }),
      },
      timeout: api.timeouts.heavy,
    });
    return Id;
  } catch (error) {
    if (isEngineProblem(error, 'failed') && OVERLAP.test(error.message))
      throw new EngineProblem({
        operation,
        kind: 'subnet_taken',
        detail: `${spec.subnet} is already in use`,
        cause: error,
      });
    if (!isEngineProblem(error, 'conflict')) throw error;
    const network = await api.json<NetworkResponse>({
      operation: `read network ${spec.name}`,
      method: 'GET',
      path: objectPath('networks', spec.name, operation),
      timeout: api.timeouts.quick,
    });
    checkOwner(operation, spec, network);
    return network.Id;
  }
}

/** Creates an overlay network of a Swarm. By default it is attachable, so that containers of actions can join it. */
export async function ensureOverlay(api: DockerApi, spec: OverlaySpec): Promise<string> {
  const operation = `create network ${spec.name}`;
  const used = (network: NetworkResponse): string => {
    checkOwner(operation, spec, network);
    return network.Id;
  };
  const found = await readNetwork(api, spec.name);
  if (found !== undefined) return used(found);
  try {
    const { Id } = await api.json<{ Id: string }>({
      operation,
      method: 'POST',
      path: '/networks/create',
      body: {
        Name: spec.name,
        Driver: 'overlay',
        Attachable: spec.attachable ?? true,
        CheckDuplicate: true,
        Internal: spec.internal ?? false,
        Labels: spec.labels,
      },
      timeout: api.timeouts.heavy,
    });
    return Id;
  } catch (error) {
    // Another rollout has created it meanwhile: all of them share those of the ingress. The Swarm has several answers to that.
    const created = await readNetwork(api, spec.name);
    if (created === undefined) throw error;
    return used(created);
  }
}

/** Bridge on every node of a Swarm that connects its tasks with the node, unless their network is internal. */
const GATEWAY_BRIDGE = 'docker_gwbridge';

/** Addresses of containers of overlay networks on this node; the overlay itself is not reachable from the node. */
export async function gatewayAddresses(api: DockerApi): Promise<Map<string, string>> {
  const network = await readNetwork(api, GATEWAY_BRIDGE);
  const endpoints = Object.entries(network?.Containers ?? {});
  return new Map(
    endpoints.flatMap(([id, { IPv4Address = '' }]) => (IPv4Address ? [[id, IPv4Address.split('/')[0] ?? '']] : [])),
  );
}

async function readNetwork(api: DockerApi, name: string): Promise<NetworkResponse | undefined> {
  const operation = `read network ${name}`;
  const path = objectPath('networks', name, operation);
  const { status, body } = await api.call({ operation, method: 'GET', path, timeout: api.timeouts.quick }, [404]);
  return status === 404 ? undefined : (JSON.parse(body.toString('utf8')) as NetworkResponse);
}

/** The auxiliary address of this name becomes the default route of containers; the engine gives it to none of them. */
const ipam = ({ subnet, gateway }: NetworkSpec) => ({
  Subnet: subnet,
  ...(gateway === undefined ? {} : { AuxiliaryAddresses: { DefaultGatewayIPv4: gateway } }),
});

const RETRY_MS = { first: 50, max: 1_000 };

/** Messages of Docker and Podman. */
const IN_USE = /has active endpoints|has associated containers|network is being used/i;

/**
 * Removes a network after disconnecting its containers. An engine reports a container as removed before it has released the
 * endpoint, on a busy machine several seconds before, so removal is retried for a while. Docker decides by a counter of endpoints
 * that it stores apart from them and that can stay too high until the engine restarts: then the network is kept.
 */
export async function removeNetwork(api: DockerApi, name: string): Promise<NetworkRemoval> {
  const operation = `remove network ${name}`;
  const path = objectPath('networks', name, operation);
  const end = performance.now() + api.timeouts.endpoints;
  let wait = RETRY_MS.first;
  for (;;) {
    const endpoints = await disconnectAll(api, name, path);
    if (endpoints === undefined) return 'removed';
    try {
      await api.call({ operation, method: 'DELETE', path, timeout: api.timeouts.heavy }, [404]);
      return 'removed';
    } catch (error) {
      if (!isEngineProblem(error) || !IN_USE.test(error.message)) throw error;
      if (performance.now() > end) {
        if (endpoints.length === 0) return 'kept';
        const detail = `its endpoints cannot be disconnected: ${endpoints.join(', ')}`;
        throw new EngineProblem({ operation, kind: 'conflict', detail, cause: error });
      }
      await sleep(wait);
      wait = Math.min(wait * 2, RETRY_MS.max);
    }
  }
}

/** Returns the endpoints that were listed; undefined if there is no such network. */
async function disconnectAll(api: DockerApi, name: string, path: string): Promise<string[] | undefined> {
  const operation = `read network ${name}`;
  const { status, body } = await api.call({ operation, method: 'GET', path, timeout: api.timeouts.quick }, [404]);
  if (status === 404) return undefined;
  const { Containers } = JSON.parse(body.toString('utf8')) as NetworkResponse;
  const endpoints = Object.entries(Containers ?? {}).map(([id, { Name }]) => (isStale(id) ? (Name ?? id) : id));
  for (const endpoint of endpoints) {
    const leave = `disconnect ${endpoint} from network ${name}`;
    const call = { operation: leave, method: 'POST', path: `${path}/disconnect`, timeout: api.timeouts.heavy } as const;
    await api.call({ ...call, body: { Container: endpoint, Force: true } }, [404]);
  }
  return endpoints;
}

/** Whether an endpoint has lost its container. Docker lists it by its own id and disconnects it only by its name. */
const isStale = (id: string): boolean => id.startsWith('ep-');

export async function joinNetwork(api: DockerApi, name: string, id: string, aliases: readonly string[]): Promise<void> {
  const operation = `connect container ${id} to network ${name}`;
  const path = `${objectPath('networks', name, operation)}/connect`;
  const call = { operation, method: 'POST', path, timeout: api.timeouts.heavy } as const;
  const { status, body } = await api.call(
    { ...call, body: { Container: id, EndpointConfig: { Aliases: aliases } } },
    [403, 409],
  );
  if (status < 400 || body.includes('already exists in network')) return;
  throw new EngineProblem({ operation, kind: 'conflict', status, detail: JSON.parse(body.toString('utf8')).message });
}
