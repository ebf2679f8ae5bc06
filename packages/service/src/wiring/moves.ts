import { Problem } from '../problem.ts';
import { diskFree } from '../resources/capacity/disk.ts';
import { revisionOf } from '../resources/definitions/deployable.ts';
import {
  countDefinitionsOfTenants,
  type DefinitionRow,
  definitionsOf,
  findDefinition,
  hasRevisionOf,
  lockDefinition,
  lockDefinitionsOfTenant,
} from '../resources/definitions/public.ts';
import { relocateDefinition } from '../resources/definitions/relocation.ts';
import { DeploymentsElsewhere } from '../resources/deployments/on-another-server.ts';
import { suspendDeployments } from '../resources/deployments/queue.ts';
import type { Drafts } from '../resources/drafts/service.ts';
import { Evacuations } from '../resources/evacuations/service.ts';
import { Exports } from '../resources/imports/exports.ts';
import { Imports } from '../resources/imports/service.ts';
import {
  countInstancesOfTenants,
  findLiving,
  findMembership,
  livingRevision,
  lockLiving,
} from '../resources/instances/public.ts';
import type { Manifests } from '../resources/manifest/service.ts';
import { findMigration } from '../resources/migrations/public.ts';
import { Migrations } from '../resources/migrations/service.ts';
import { Balances } from '../resources/servers/placement/balance.ts';
import { tenantsOn } from '../resources/tenants/public.ts';
import { Tenants } from '../resources/tenants/service.ts';
import { Transfers } from '../resources/transfers/service.ts';
import { forgetOffersOf } from '../resources/upgrades/public.ts';
import type { Queries } from '../storage/storage.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { DeploymentsMade } from './deployments.ts';
import type { ServersMade } from './servers.ts';

/** Far more than a server can run. */
const MOST_EVACUATED = 10_000;

export type MovesMade = ReturnType<typeof makeMoves>;

/** Creates everything that moves data between places: migrations, tenants, exports and imports. */
export function makeMoves(
  { config, storage, vault, catalog, pages, wake, work }: SharedDependencies,
  { manifests, identities, servers, server, drains }: ServersMade,
  { definitions, deployments, instances, actions, backups, pauses, placements }: DeploymentsMade,
  drafts: Drafts,
) {
  const { reader } = storage;
  const manifestOfRevision = async (queries: Queries, { account_id, id }: DefinitionRow, revision: number) =>
    (await manifests.resolve(queries, account_id, id, revision)).manifest;
  const transfers = new Transfers({
    storage,
    pages,
    sign: (order) => manifests.signOrder(order),
    wake,
    opening: (...of) => backups.opening(...of),
    sealingKeyOf: (...of) => identities.sealingKeyOf(...of),
    hmac: (...of) => vault.hmac(...of),
    moved: async (tx, transfer) => {
      if (transfer.migration_id !== null) await migrations.carried(tx, transfer.migration_id);
      await imports.carried(tx, transfer);
    },
  });
  const migrations: Migrations = new Migrations({
    storage,
    pages,
    resources: {
      server,
      definitions: {
        find: findDefinition,
        hold: lockDefinition,
        revision: revisionOf,
        relocate: relocateDefinition,
      },
      manifest: manifestOfRevision,
      instances: {
        living: findLiving,
        hold: lockLiving,
        stop: (tx, ...of) => pauses.pause(tx, ...of),
        start: (tx, definitionId, instanceId, actor) => pauses.unpause(tx, definitionId, new Set([instanceId]), actor),
        relocate: (tx, ...of) => instances.relocate(tx, ...of),
      },
      executions: {
        order: (tx, order) => actions.order(tx, order),
        find: (...of) => actions.standing(...of),
        latest: (...of) => actions.latest(...of),
      },
      deployments: new DeploymentsElsewhere(wake),
      transfers,
      tenants: { settle: (tx, ...of) => tenants.settle(tx, ...of) },
      capacity: {
        require: async (tx, definition, server_id, revision) =>
          deployments.requireRoom(tx, {
            definition: { ...definition, server_id },
            revision: await revisionOf(tx, definition.id, revision),
          }),
        diskFree,
      },
      graceMs: config.migrationGraceMinutes * 60_000,
    },
  });
  const tenants: Tenants = new Tenants({
    migrate: (tx, ...of) => migrations.order(tx, ...of),
    reader,
    pages,
    hasServer: (tx, accountId, id) => servers.has(tx, accountId, id),
    definitions: {
      hold: lockDefinitionsOfTenant,
      archive: (tx, principal, id, together) => definitions.archive(tx, principal, id, 'remove', together),
      suspendDeployments: suspendDeployments(wake),
      count: countDefinitionsOfTenants,
    },
    instances: {
      pause: (tx, ...of) => pauses.pause(tx, ...of),
      unpause: (tx, ...of) => pauses.unpause(tx, ...of),
      membership: findMembership,
      count: countInstancesOfTenants,
    },
  });
  const manifestOf = async (...of: Parameters<Manifests['resolve']>) => (await manifests.resolve(...of)).manifest;
  const carrying = { storage, vault, catalog, work, server, transfers, manifest: manifestOf };
  const exports = new Exports({ ...carrying, backups, allowPlaintext: config.allowPlaintextManifest });
  const using = { isUsed: hasRevisionOf, forgetOffersOf };
  const imports: Imports = new Imports({ ...carrying, ...using, pages, drafts, definitions, deployments, diskFree });
  const evacuations = new Evacuations({
    storage,
    pages,
    resources: {
      server,
      drain: (tx, ...of) => drains.drain(tx, ...of),
      definitionsOn: (queries, accountId, serverId) =>
        definitionsOf(queries, { accountId, serverId }).rows(MOST_EVACUATED, 0),
      definition: findDefinition,
      tenantsOn,
      runningRevision: livingRevision,
      manifest: manifestOfRevision,
      placements,
      planMigration: (queries, wanted) => migrations.plan(queries, wanted),
      migrateDefinition: (tx, ...of) => migrations.orderDefinition(tx, ...of),
      migrateTenant: (tx, ...of) => tenants.migrate(tx, ...of),
      migration: findMigration,
    },
  });
  const balances = new Balances({
    reader,
    placements,
    movablesOn: async (queries, accountId, serverId) =>
      (await definitionsOf(queries, { accountId, serverId }).rows(MOST_EVACUATED, 0)).filter(
        ({ tenant_id }) => tenant_id === null,
      ),
    async isBlocked(queries, accountId, id, { from: fromServerId, to: serverId }) {
      const definition = await findDefinition(queries, accountId, id);
      if (!definition) return true;
      const wanted = { accountId, fromServerId, definitions: [definition], serverId };
      return migrations.plan(queries, wanted).then(
        ({ blockers }) => blockers.length > 0,
        (error: unknown) => {
          if (error instanceof Problem) return true;
          throw error;
        },
      );
    },
  });
  return { transfers, migrations, tenants, evacuations, balances, exports, imports };
}
