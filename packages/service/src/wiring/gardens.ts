import type { Drafts } from '../resources/drafts/service.ts';
import type { CarryingDeps } from '../resources/gardens/carrying.ts';
import { GardenExports } from '../resources/gardens/export.ts';
import { GardenPlanning, type GardenPlanningDeps } from '../resources/gardens/planning.ts';
import { Gardens } from '../resources/gardens/service.ts';
import { serversOf } from '../resources/servers/public.ts';
import { tenantsOf } from '../resources/tenants/public.ts';
import { allWithSecrets, type WebhookDeps } from '../resources/webhooks/public.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { DeploymentsMade } from './deployments.ts';
import type { NotificationsMade } from './notifications.ts';
import type { ServersMade } from './servers.ts';

/** Creates gardens, which plan and change what the other resources have. */
export function makeGardens(
  { storage, vault, catalog, work, pages }: SharedDependencies,
  { registries }: Pick<ServersMade, 'registries'>,
  { definitions, deployments }: DeploymentsMade,
  { channels, rules }: NotificationsMade,
  drafts: Drafts,
  webhooks: WebhookDeps,
) {
  const { reader } = storage;
  const planningDeps: GardenPlanningDeps = {
    ...{ reader, vault, catalog, work },
    places: async (queries, accountId) => ({
      servers: await serversOf(queries, accountId),
      tenants: await tenantsOf(queries, accountId),
    }),
    settings: async (principal) => ({
      registries: await registries.allWithPasswords(reader, principal.accountId),
      webhooks: await allWithSecrets(webhooks, reader, principal.accountId),
      channels: await channels.allWithSettings(principal),
      rules: await rules.all(principal),
    }),
  };
  const gardenCarrying: CarryingDeps = {
    ...{ storage, vault, catalog, work, definitions, deployments },
    ...{ drafts, registries, channels, rules, webhooks },
  };
  return {
    gardens: new Gardens({ storage, pages, vault, planning: new GardenPlanning(planningDeps) }),
    gardenExports: new GardenExports(planningDeps),
    gardenCarrying,
  };
}
