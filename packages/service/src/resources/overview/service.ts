import type { Permission } from '@hortus/contract/permissions';
import type { Capacity } from '@hortus/contract/resources/capacity';
import type { Deployment, DeploymentDetail } from '@hortus/contract/resources/deployment-records';
import type { Event } from '@hortus/contract/resources/events';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { InstanceStats } from '@hortus/contract/resources/instances';
import type {
  Neighbour,
  Overview,
  OverviewDeployment,
  OverviewInstance,
  OverviewServer,
} from '@hortus/contract/resources/overview';
import type { Server } from '@hortus/contract/resources/server-records';
import { may, type Principal } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import type { Page, PageRequest } from '../../storage/page.ts';
import { isOwnMachine, neighboursOf, type Publishing } from './neighbours.ts';
import { shortServer } from './short-server.ts';
import { stepsSoFar } from './steps.ts';

type List<Item> = (principal: Principal, request: PageRequest) => Promise<Page<Item>>;

/** The lists of the other resources. */
export interface OverviewDeps {
  readonly servers: List<Server>;
  readonly capacities: List<Capacity>;
  readonly instances: List<Instance>;
  /** Instances of a server that publish ports of it. */
  readonly publishing: (principal: Principal, serverId: string) => Promise<readonly Publishing[]>;
  /** Host names of the console; the first is that of its address. */
  readonly consoleHosts: readonly string[];
  readonly stats: (principal: Principal) => Promise<InstanceStats>;
  readonly definitions: List<unknown>;
  readonly deployments: (
    principal: Principal,
    status: 'pending' | 'running',
    request: PageRequest,
  ) => Promise<Page<Deployment>>;
  readonly deployment: (principal: Principal, id: string) => Promise<DeploymentDetail>;
  readonly definition: (principal: Principal, id: string) => Promise<{ name: string; species: string }>;
  readonly upgrades: List<unknown>;
  readonly tenants: List<unknown>;
  readonly webhooks: List<unknown>;
  readonly events: List<Event>;
  readonly speciesCount: (principal: Principal) => number;
  /** Family of a species; undefined for species outside the catalog. */
  readonly familyOf: (principal: Principal, species: string) => string | undefined;
}

const MAX_SERVERS = 100;
const MAX_INSTANCES = 500;
const MAX_DEPLOYMENTS = 3;
const MAX_EVENTS = 12;
const onlyTotal: PageRequest = { page: 1, per_page: 1 };

/** Collects the parts of the overview that the caller may read; the others are null. */
export async function readOverview(deps: OverviewDeps, principal: Principal): Promise<Overview> {
  if (principal.kind === 'server') throw new Problem('FORBIDDEN', 'A server key has no overview.');
  const allowed = <Part>(permission: Permission, read: () => Promise<Part>): Promise<Part | null> =>
    may(principal, permission) ? read() : Promise.resolve(null);
  const total = (permission: Permission, list: List<unknown>) =>
    allowed(permission, async () => (await list(principal, onlyTotal)).pagination.total);
  const [servers, stats, instances, definitions, rollouts, upgrades, tenants, webhooks, events] = await Promise.all([
    allowed('servers:read', () => serversWithRoom(deps, principal)),
    allowed('instances:read', () => deps.stats(principal)),
    allowed('instances:read', () => instancesIn(deps, principal)),
    total('definitions:read', deps.definitions),
    allowed('deployments:read', () => rolloutsIn(deps, principal)),
    total('upgrades:read', deps.upgrades),
    total('tenants:read', deps.tenants),
    total('webhooks:read', deps.webhooks),
    allowed('events:read', () => deps.events(principal, { page: 1, per_page: MAX_EVENTS })),
  ]);
  return {
    counts: {
      species: may(principal, 'templates:read') ? deps.speciesCount(principal) : null,
      instances: stats?.total ?? null,
      definitions,
      deployments: rollouts?.total ?? null,
      upgrades,
      servers: servers?.total ?? null,
      tenants,
      webhooks,
    },
    servers: servers?.data ?? null,
    instances: instances?.map((instance) => shortInstance(deps, principal, instance)) ?? null,
    by_status: stats?.by_status ?? null,
    by_health: stats?.by_health ?? null,
    deployments: rollouts?.data ?? null,
    events: events?.data ?? null,
    neighbours: servers && instances && (await neighboursIn(deps, principal, servers.all, instances)),
  };
}

async function neighboursIn(
  { publishing, consoleHosts }: OverviewDeps,
  principal: Principal,
  servers: readonly Server[],
  instances: readonly Instance[],
): Promise<Neighbour[]> {
  const own = servers.filter(({ daemon }) => isOwnMachine(daemon.address, consoleHosts));
  const published = await Promise.all(own.map(({ id }) => publishing(principal, id)));
  return neighboursOf(consoleHosts, instances, published.flat());
}

async function serversWithRoom(deps: OverviewDeps, principal: Principal) {
  const request = { page: 1, per_page: MAX_SERVERS };
  const [servers, capacities] = await Promise.all([
    deps.servers(principal, request),
    deps.capacities(principal, request),
  ]);
  const byServer = new Map(capacities.data.map((capacity) => [capacity.server_id, capacity]));
  const data = servers.data.map(
    (server): OverviewServer => ({ ...shortServer(server), capacity: byServer.get(server.id) ?? null }),
  );
  return { data, total: servers.pagination.total, all: servers.data };
}

const instancesIn = async (deps: OverviewDeps, principal: Principal): Promise<readonly Instance[]> =>
  (await deps.instances(principal, { page: 1, per_page: MAX_INSTANCES })).data;

function shortInstance(deps: OverviewDeps, principal: Principal, instance: Instance): OverviewInstance {
  const { id, definition_id, server_id, name, species, status, health, drifted_at, updated_at } = instance;
  const family = deps.familyOf(principal, species) ?? null;
  return { id, definition_id, server_id, name, species, family, status, health, drifted_at, updated_at };
}

async function rolloutsIn(deps: OverviewDeps, principal: Principal) {
  const [running, pending] = await Promise.all([
    deps.deployments(principal, 'running', { page: 1, per_page: MAX_DEPLOYMENTS }),
    deps.deployments(principal, 'pending', onlyTotal),
  ]);
  const data = await Promise.all(
    running.data.map(async ({ id, definition_id }): Promise<OverviewDeployment> => {
      const { logs, last_lines: _, logs_truncated: __, ...deployment } = await deps.deployment(principal, id);
      const about = may(principal, 'definitions:read') ? await deps.definition(principal, definition_id) : undefined;
      const family = about && deps.familyOf(principal, about.species);
      return {
        ...deployment,
        name: about?.name ?? null,
        species: about?.species ?? null,
        family: family ?? null,
        steps: stepsSoFar(logs),
      };
    }),
  );
  return { data, total: running.pagination.total + pending.pagination.total };
}
