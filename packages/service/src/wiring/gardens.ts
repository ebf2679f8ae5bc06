import type { RawRoute } from '../http/raw-routes.ts';
import type { Drafts } from '../resources/drafts/service.ts';
import type { CarryingDeps } from '../resources/gardens/carrying.ts';
import { GardenExports } from '../resources/gardens/export.ts';
import { GardenCommits } from '../resources/gardens/following/commits.ts';
import type { FollowDeps } from '../resources/gardens/following/follow-job.ts';
import { receivePush } from '../resources/gardens/following/push.ts';
import { sourceRecords } from '../resources/gardens/following/record.ts';
import { GardenSources } from '../resources/gardens/following/service.ts';
import { GardenPlanning, type GardenPlanningDeps } from '../resources/gardens/planning.ts';
import { Gardens } from '../resources/gardens/service.ts';
import { labelsOf, serversOf } from '../resources/servers/public.ts';
import { tenantsOf } from '../resources/tenants/public.ts';
import { allWithSecrets, type WebhookDeps } from '../resources/webhooks/public.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { DeploymentsMade } from './deployments.ts';
import type { NotificationsMade } from './notifications.ts';
import type { ServersMade } from './servers.ts';

/** Pushes of many commits are larger; they are found at the next interval. */
const PUSH_BODY_LIMIT = 512 * 1024;

/** Creates gardens, which plan and change what the other resources have. */
export function makeGardens(
  { config, storage, vault, catalog, work, repositoryWork, pages }: SharedDependencies,
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
      servers: (await serversOf(queries, accountId)).map((row) => ({
        ...row,
        labels: labelsOf(row),
        trusted: row.key_trusted === 1,
      })),
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
  const { publicUrl, webhookAllowPrivate: plainTokens } = config;
  const { guard } = webhooks;
  const planning = new GardenPlanning(planningDeps);
  const gardens = new Gardens({ storage, pages, vault, planning, sources: sourceRecords(publicUrl) });
  const gardenSources = new GardenSources({ vault, guard, gardens, publicUrl, plainTokens });
  const gardenFollowing: FollowDeps = { storage, vault, guard, repositoryWork, planning, gardens };
  const push = receivePush({ storage, vault, sources: gardenSources });
  const gardenPush: RawRoute = {
    name: 'gardens.push',
    path: '/gardens/{id}/push',
    bodyLimit: PUSH_BODY_LIMIT,
    receive: ({ id = '' }, headers, body) => push(id, headers, body),
  };
  return {
    gardens,
    gardenSources,
    gardenCommits: new GardenCommits({ storage, pages, vault, planning, gardens }),
    gardenFollowing,
    gardenPush,
    gardenExports: new GardenExports(planningDeps),
    gardenCarrying,
  };
}
