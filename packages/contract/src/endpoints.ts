import type { Endpoint, LiveEvents } from './endpoint.ts';
import { actionEndpoints } from './resources/actions.ts';
import { backupEndpoints } from './resources/backups.ts';
import { capacityEndpoints } from './resources/capacity.ts';
import { catalogEndpoints } from './resources/catalog.ts';
import { clusterEndpoints } from './resources/clusters.ts';
import { confirmationEndpoints } from './resources/confirmations.ts';
import { connectionEndpoints } from './resources/connections.ts';
import { copilotEndpoints } from './resources/copilot.ts';
import { daemonUpdateEndpoints } from './resources/daemon-updates.ts';
import { definitionEndpoints } from './resources/definitions.ts';
import { deploymentEndpoints } from './resources/deployments.ts';
import { diagnosticEndpoints } from './resources/diagnostics.ts';
import { draftEndpoints } from './resources/drafts.ts';
import { evacuationEndpoints } from './resources/evacuations.ts';
import { eventEndpoints } from './resources/events.ts';
import { gardenSourceEndpoints } from './resources/garden-sources.ts';
import { gardenEndpoints } from './resources/gardens.ts';
import { healthEndpoints } from './resources/health.ts';
import { implantEndpoints } from './resources/implant.ts';
import { importEndpoints } from './resources/imports.ts';
import { installationEndpoints } from './resources/installation.ts';
import { instanceEndpoints } from './resources/instances.ts';
import { keyEndpoints } from './resources/keys.ts';
import { logEndpoints } from './resources/logs.ts';
import { manifestEndpoints } from './resources/manifest.ts';
import { matchEndpoints } from './resources/match.ts';
import { memberEndpoints } from './resources/members.ts';
import { metricEndpoints } from './resources/metrics.ts';
import { migrationEndpoints } from './resources/migrations.ts';
import { notificationEndpoints } from './resources/notifications.ts';
import { overviewEndpoints } from './resources/overview.ts';
import { playbookEndpoints } from './resources/playbooks.ts';
import { recipeEndpoints } from './resources/recipes.ts';
import { registryEndpoints } from './resources/registries.ts';
import { rehearsalEndpoints } from './resources/rehearsals.ts';
import { savedConfigEndpoints } from './resources/saved-configs.ts';
import { serverEndpoints } from './resources/servers.ts';
import { settingEndpoints } from './resources/settings.ts';
import { shellEndpoints } from './resources/shells.ts';
import { signInEndpoints } from './resources/sign-in.ts';
import { taxonomyEndpoints } from './resources/taxonomy.ts';
import { templateEndpoints } from './resources/templates.ts';
import { tenantEndpoints } from './resources/tenants.ts';
import { transferEndpoints } from './resources/transfers.ts';
import { upgradeEndpoints } from './resources/upgrades.ts';
import { vaultEndpoints } from './resources/vault.ts';
import { webhookEndpoints } from './resources/webhooks.ts';

/** The whole contract. Every row has a handler; a test checks that. */
export const endpoints = {
  ...healthEndpoints,
  ...templateEndpoints,
  ...draftEndpoints,
  ...catalogEndpoints,
  ...taxonomyEndpoints,
  ...recipeEndpoints,
  ...savedConfigEndpoints,
  ...connectionEndpoints,
  ...matchEndpoints,
  ...definitionEndpoints,
  ...deploymentEndpoints,
  ...manifestEndpoints,
  ...instanceEndpoints,
  ...logEndpoints,
  ...shellEndpoints,
  ...metricEndpoints,
  ...actionEndpoints,
  ...playbookEndpoints,
  ...upgradeEndpoints,
  ...rehearsalEndpoints,
  ...backupEndpoints,
  ...importEndpoints,
  ...gardenEndpoints,
  ...gardenSourceEndpoints,
  ...serverEndpoints,
  ...clusterEndpoints,
  ...daemonUpdateEndpoints,
  ...capacityEndpoints,
  ...diagnosticEndpoints,
  ...implantEndpoints,
  ...tenantEndpoints,
  ...migrationEndpoints,
  ...evacuationEndpoints,
  ...transferEndpoints,
  ...confirmationEndpoints,
  ...copilotEndpoints,
  ...registryEndpoints,
  ...webhookEndpoints,
  ...notificationEndpoints,
  ...eventEndpoints,
  ...overviewEndpoints,
  ...signInEndpoints,
  ...memberEndpoints,
  ...installationEndpoints,
  ...keyEndpoints,
  ...vaultEndpoints,
  ...settingEndpoints,
};

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
/** Names of the rows with a stream; see `live` in endpoint.ts. */
export type LiveName = {
  [Name in EndpointName]: Endpoints[Name] extends { readonly live: LiveEvents } ? Name : never;
}[EndpointName];

/** The rows with their names, for code that handles all of them alike. */
export const endpointRows: readonly (readonly [EndpointName, Endpoint])[] = Object.entries(endpoints) as [
  EndpointName,
  Endpoint,
][];
