import { fileURLToPath } from 'node:url';
import type { EndpointName } from '@hortus/contract/endpoints';
import { type Config, describeConfig } from '../config.ts';
import type { Handlers } from '../http/handler.ts';
import { healthRoutes } from '../http/health.ts';
import { LoginThrottle } from '../identity/login-throttle.ts';
import { actionRoutes } from '../resources/actions/routes.ts';
import { backupRoutes } from '../resources/backups/routes.ts';
import { capacityRoutes } from '../resources/capacity/routes.ts';
import { catalogRoutes } from '../resources/catalog/routes.ts';
import { clusterRoutes } from '../resources/clusters/routes.ts';
import { confirmationRoutes } from '../resources/confirmations/routes.ts';
import { connectionRoutes } from '../resources/connections/routes.ts';
import { Knowledge } from '../resources/copilot/knowledge.ts';
import { copilotRoutes } from '../resources/copilot/routes.ts';
import { Assistant } from '../resources/copilot/service.ts';
import { daemonUpdateRoutes } from '../resources/daemon-updates/routes.ts';
import { definitionRoutes } from '../resources/definitions/routes.ts';
import { SecretChanges } from '../resources/definitions/secret-changes.ts';
import { deploymentRoutes } from '../resources/deployments/routes.ts';
import { draftRoutes } from '../resources/drafts/routes.ts';
import { evacuationRoutes } from '../resources/evacuations/routes.ts';
import { eventRoutes } from '../resources/events/routes.ts';
import { gardenSourceRoutes } from '../resources/gardens/following/routes.ts';
import { gardenRoutes } from '../resources/gardens/routes.ts';
import { implantRoutes } from '../resources/implant/routes.ts';
import { importRoutes } from '../resources/imports/routes.ts';
import { installationRoutes } from '../resources/installation/routes.ts';
import { Installation } from '../resources/installation/service.ts';
import { instanceRoutes } from '../resources/instances/routes.ts';
import { keyRoutes } from '../resources/keys/routes.ts';
import { logRoutes } from '../resources/logs/routes.ts';
import { manifestRoutes } from '../resources/manifest/routes.ts';
import { matchRoutes } from '../resources/match/routes.ts';
import { FirstRun } from '../resources/members/first-run.ts';
import { memberRoutes } from '../resources/members/routes.ts';
import { Members } from '../resources/members/service.ts';
import { metricRoutes } from '../resources/metrics/routes.ts';
import { migrationRoutes } from '../resources/migrations/routes.ts';
import { notificationRoutes } from '../resources/notifications/routes.ts';
import { overviewRoutes } from '../resources/overview/routes.ts';
import { playbookRoutes } from '../resources/playbooks/routes.ts';
import { RecipeReview } from '../resources/recipes/review.ts';
import { recipeRoutes } from '../resources/recipes/routes.ts';
import { Recipes } from '../resources/recipes/service.ts';
import { registryRoutes } from '../resources/registries/routes.ts';
import { rehearsalRoutes } from '../resources/rehearsals/routes.ts';
import { savedConfigRoutes } from '../resources/saved-configs/routes.ts';
import { SavedConfigs } from '../resources/saved-configs/service.ts';
import { serverRoutes } from '../resources/servers/routes.ts';
import { settingRoutes } from '../resources/settings/routes.ts';
import { shellRoutes } from '../resources/shells/routes.ts';
import { signInRoutes } from '../resources/sign-in/routes.ts';
import { Accounts } from '../resources/sign-in/service.ts';
import { Sessions } from '../resources/sign-in/sessions.ts';
import { taxonomyRoutes } from '../resources/taxonomy/routes.ts';
import { templateRoutes } from '../resources/templates/routes.ts';
import { tenantRoutes } from '../resources/tenants/routes.ts';
import { transferRoutes } from '../resources/transfers/routes.ts';
import { upgradeRoutes } from '../resources/upgrades/routes.ts';
import { vaultRoutes } from '../resources/vault/routes.ts';
import { VaultAdministration } from '../resources/vault/service.ts';
import { webhookRoutes } from '../resources/webhooks/routes.ts';
import type { BaseDependencies } from './dependencies.ts';
import { instanceOverviewOf, overviewOf } from './overview.ts';
import type { Made } from './resources.ts';

/** Documents that the assistant reads besides the catalog. */
const documentation = ['README.md', 'docs', 'docs/decisions'].map((path) =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url)),
);

const modelOf = ({ assistantUrl: url, assistantKey: key, assistantModel: model }: Config) =>
  url !== undefined && model !== undefined ? { url, key, model } : undefined;

/** Assembles the handlers of all endpoints. */
export function handlersOf(base: BaseDependencies, made: Made): Handlers<EndpointName> {
  const { config, log, version, storage, vault, passwords, catalog, work } = base;
  const { reader } = storage;
  const { definitions, keys, pages, quotas, usage } = made;
  return {
    ...healthRoutes(version),
    ...templateRoutes(catalog, { reader, work }),
    ...draftRoutes(made.drafts, made.tests, catalog, work),
    ...catalogRoutes(catalog),
    ...taxonomyRoutes(catalog),
    ...recipeRoutes(
      new Recipes({ reader, pages, work }),
      new RecipeReview({ reader, work, reloadCatalog: () => catalog.load() }),
    ),
    ...savedConfigRoutes(new SavedConfigs({ reader, pages, catalog, vault })),
    ...connectionRoutes(made.connections, (...of) => definitions.providers(...of)),
    ...matchRoutes(catalog),
    ...definitionRoutes(definitions),
    ...deploymentRoutes(made.deployments, made.reports, made.planning, (...of) => definitions.order(...of)),
    ...manifestRoutes(made.reading, reader),
    ...instanceRoutes(made.instances, made.orders, made.drifts),
    ...logRoutes(made.logs),
    ...metricRoutes(made.metrics, made.liveMetrics),
    ...shellRoutes(made.shells),
    ...actionRoutes(made.actions),
    ...playbookRoutes(),
    ...upgradeRoutes(made.upgrades, made.application),
    ...rehearsalRoutes(made.rehearsals),
    ...evacuationRoutes(made.evacuations),
    ...backupRoutes(made.backups),
    ...importRoutes(made.exports, made.imports, catalog),
    ...gardenRoutes(made.gardens, made.gardenExports),
    ...gardenSourceRoutes(made.gardenSources, made.gardenCommits),
    ...clusterRoutes(made.members, made.nodes),
    ...serverRoutes(made.servers, made.drains, made.prunes, made.identities, made.balances),
    ...daemonUpdateRoutes(made.daemonUpdates),
    ...tenantRoutes(made.tenants),
    ...migrationRoutes(made.migrations, made.tenants),
    ...transferRoutes(made.transfers),
    ...capacityRoutes(made.capacities),
    ...confirmationRoutes(made.confirmations),
    ...copilotRoutes(
      new Assistant({ knowledge: new Knowledge(catalog, documentation), usage, model: modelOf(config), log }),
      usage,
    ),
    ...implantRoutes(made.agents, config.publicUrl),
    ...registryRoutes(made.registries),
    ...webhookRoutes(made.webhooks),
    ...notificationRoutes(made.channels, made.rules, made.notifications),
    ...eventRoutes({ storage, pages }),
    ...overviewRoutes(overviewOf(base, made), instanceOverviewOf(made)),
    ...signInRoutes(
      new Accounts({ storage, passwords, throttle: new LoginThrottle(), quotas }),
      new Sessions({ storage, pages, idleMs: config.sessionIdleMinutes * 60_000 }),
    ),
    ...memberRoutes(
      new Members({
        storage,
        pages,
        passwords,
        publicUrl: config.publicUrl,
        mail: made.accountMail,
        revokeKeysOf: (tx, ...of) => keys.revokeAllOf(tx, ...of),
      }),
      new FirstRun({ storage, passwords }),
    ),
    ...installationRoutes(new Installation({ reader, pages, publicUrl: config.publicUrl, mail: made.accountMail })),
    ...keyRoutes(keys),
    ...settingRoutes(describeConfig(config), pages),
    ...vaultRoutes({
      administration: new VaultAdministration({ storage, vault }),
      secrets: new SecretChanges({ definitions, reader, vault, catalog }),
      audit: { reader, pages },
    }),
  };
}
