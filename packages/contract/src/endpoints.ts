import type { Endpoint } from './endpoint.ts';
import { accountEndpoints } from './resources/account.ts';
import { actionEndpoints } from './resources/actions.ts';
import { capacityEndpoints } from './resources/capacity.ts';
import { catalogEndpoints } from './resources/catalog.ts';
import { definitionEndpoints } from './resources/definitions.ts';
import { deploymentEndpoints } from './resources/deployments.ts';
import { eventEndpoints } from './resources/events.ts';
import { healthEndpoints } from './resources/health.ts';
import { instanceEndpoints } from './resources/instances.ts';
import { keyEndpoints } from './resources/keys.ts';
import { manifestEndpoints } from './resources/manifest.ts';
import { registryEndpoints } from './resources/registries.ts';
import { serverEndpoints } from './resources/servers.ts';
import { taxonomyEndpoints } from './resources/taxonomy.ts';
import { templateEndpoints } from './resources/templates.ts';
import { vaultEndpoints } from './resources/vault.ts';
import { webhookEndpoints } from './resources/webhooks.ts';

/** The whole contract. A row stands here once it has a handler: a promise nobody keeps is not in the table. */
export const endpoints = {
  ...healthEndpoints,
  ...templateEndpoints,
  ...catalogEndpoints,
  ...taxonomyEndpoints,
  ...definitionEndpoints,
  ...deploymentEndpoints,
  ...manifestEndpoints,
  ...instanceEndpoints,
  ...actionEndpoints,
  ...serverEndpoints,
  ...capacityEndpoints,
  ...registryEndpoints,
  ...webhookEndpoints,
  ...eventEndpoints,
  ...accountEndpoints,
  ...keyEndpoints,
  ...vaultEndpoints,
};

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

/** The rows with their names, for what treats them all alike. */
export const endpointRows: readonly (readonly [EndpointName, Endpoint])[] = Object.entries(endpoints) as [
  EndpointName,
  Endpoint,
][];
