import type { Config } from '../config/config-fields.ts';
import type { Capacities } from '../resources/capacity/service.ts';
import { listEvents } from '../resources/events/listing.ts';
import { eventRecord } from '../resources/events/record.ts';
import type { InstanceOverviewDeps } from '../resources/overview/instance.ts';
import { consoleHosts } from '../resources/overview/neighbours.ts';
import type { OverviewDeps } from '../resources/overview/service.ts';
import type { Catalog } from '../resources/templates/catalog.ts';
import type { Tenants } from '../resources/tenants/service.ts';
import type { Upgrades } from '../resources/upgrades/service.ts';
import { listEndpoints, type WebhookDeps } from '../resources/webhooks/service.ts';
import type { DeploymentsMade } from './deployments.ts';
import type { ServersMade } from './servers.ts';

interface Lists
  extends Pick<ServersMade, 'servers'>,
    Pick<DeploymentsMade, 'definitions' | 'deployments' | 'instances' | 'actions' | 'backups'> {
  readonly catalog: Catalog;
  readonly capacities: Capacities;
  readonly upgrades: Upgrades;
  readonly tenants: Tenants;
  readonly webhooks: WebhookDeps;
}

type ConsoleAddress = Pick<Config, 'publicUrl' | 'allowedHosts'>;

/** Connects the overview with the lists of the other resources. */
export function overviewOf({ catalog, webhooks, ...made }: Lists, config: ConsoleAddress): OverviewDeps {
  const { pages } = webhooks;
  const { reader } = webhooks.storage;
  return {
    servers: ({ accountId }, request) => made.servers.list({ accountId }, request),
    capacities: (principal, request) => made.capacities.list(principal, request),
    instances: ({ accountId }, request) => made.instances.list({ accountId }, request),
    publishing: ({ accountId }, serverId) => made.instances.publishing({ accountId, serverId }),
    consoleHosts: consoleHosts(config.publicUrl, config.allowedHosts),
    stats: ({ accountId }) => made.instances.stats(accountId, 1),
    definitions: ({ accountId }, request) => made.definitions.list({ accountId }, request),
    definition: (principal, id) => made.definitions.read(principal, id),
    deployments: (principal, status, request) => made.deployments.list(principal, { status }, request),
    deployment: (principal, id) => made.deployments.read(principal, id, 0),
    upgrades: ({ accountId }, request) => made.upgrades.list({ accountId, status: 'available' }, request),
    tenants: ({ accountId }, request) => made.tenants.list({ accountId }, request),
    webhooks: ({ accountId }, request) => listEndpoints(webhooks, accountId, request),
    async events({ accountId }, request) {
      const { data, pagination } = await listEvents({ reader, pages }, { accountId }, request);
      return { data: data.map(eventRecord), pagination };
    },
    speciesCount: ({ accountId }) => catalog.newest(accountId).length,
    familyOf: ({ accountId }, species) => catalog.newestOf(species, accountId)?.item.family,
  };
}

/** Connects the overview of an instance with the other resources. */
export const instanceOverviewOf = (made: Lists): InstanceOverviewDeps => ({
  instance: (principal, id) => made.instances.read(principal, id),
  server: (principal, id) => made.servers.read(principal, id),
  definition: (principal, id) => made.definitions.read(principal, id),
  declared: (principal, id) => made.actions.list(principal, id),
  executions: (principal, instanceId, request) =>
    made.actions.all({ accountId: principal.accountId, instanceId }, request),
  backups: ({ accountId }, instanceId, request) => made.backups.list({ accountId, instanceId }, request),
  deployments: (principal, instanceId, request) => made.deployments.list(principal, { instanceId }, request),
});
