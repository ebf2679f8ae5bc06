import { diskFree } from '../resources/capacity/disk.ts';
import { revisionOf } from '../resources/definitions/deployable.ts';
import {
  countDefinitionsOfTenants,
  type DefinitionRow,
  findDefinition,
  hasRevisionOf,
  lockDefinition,
  lockDefinitionsOfTenant,
} from '../resources/definitions/public.ts';
import { relocateDefinition } from '../resources/definitions/relocation.ts';
import { DeploymentsElsewhere } from '../resources/deployments/on-another-server.ts';
import { suspendDeployments } from '../resources/deployments/queue.ts';
import type { Drafts } from '../resources/drafts/service.ts';
import { Exports } from '../resources/imports/exports.ts';
import { Imports } from '../resources/imports/service.ts';
import { countInstancesOfTenants, findLiving, findMembership, lockLiving } from '../resources/instances/public.ts';
import type { Manifests } from '../resources/manifest/service.ts';
import { Migrations } from '../resources/migrations/service.ts';
import { daemonMay } from '../resources/servers/connected-daemon.ts';
import { Tenants } from '../resources/tenants/service.ts';
import { Transfers } from '../resources/transfers/service.ts';
import { forgetOffersOf } from '../resources/upgrades/public.ts';
import type { Queries } from '../storage/storage.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { DeploymentsMade } from './deployments.ts';
import { makeRelief } from './relief.ts';
import type { ServersMade } from './servers.ts';

export type MovesMade = ReturnType<typeof makeMoves>;

/** Creates everything that moves data between places: migrations, tenants, exports and imports. */
export function makeMoves(
  shared: SharedDependencies,
  serversMade: ServersMade,
  { definitions, deployments, instances, actions, backups, pauses, placements }: DeploymentsMade,
  drafts: Drafts,
) {
  const { config, storage, vault, catalog, pages, wake, work } = shared;
  const { manifests, identities, servers, server } = serversMade;
  const { reader } = storage;
  const manifestOfRevision = async (queries: Queries, { account_id, id }: DefinitionRow, revision: number) =>
    (await manifests.resolve(queries, account_id, id, revision)).manifest;
  const transfers = new Transfers({
    storage,
    pages,
    sign: (order) => manifests.signOrder(order),
    wake,
    opening: (...args) => backups.opening(...args),
    sealingKeyOf: (...args) => identities.sealingKeyOf(...args),
    hmac: (...args) => vault.hmac(...args),
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
        stop: (tx, ...args) => pauses.pause(tx, ...args),
        start: (tx, definitionId, instanceId, actor) => pauses.unpause(tx, definitionId, new Set([instanceId]), actor),
        relocate: (tx, ...args) => instances.relocate(tx, ...args),
      },
      executions: {
        order: (tx, order) => actions.order(tx, order),
        find: (...args) => actions.currentState(...args),
        latest: (...args) => actions.latest(...args),
        containersOf: (...args) => actions.containersOf(...args),
      },
      canClear: (queries, serverId) => daemonMay(queries, serverId, 'builtin'),
      deployments: new DeploymentsElsewhere(wake),
      transfers,
      tenants: { settle: (tx, ...args) => tenants.settle(tx, ...args) },
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
    migrate: (tx, ...args) => migrations.order(tx, ...args),
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
      pause: (tx, ...args) => pauses.pause(tx, ...args),
      unpause: (tx, ...args) => pauses.unpause(tx, ...args),
      membership: findMembership,
      count: countInstancesOfTenants,
    },
  });
  const manifestOf = async (...args: Parameters<Manifests['resolve']>) => (await manifests.resolve(...args)).manifest;
  const carrying = { storage, vault, catalog, work, server, transfers, manifest: manifestOf };
  const exports = new Exports({ ...carrying, backups, allowPlaintext: config.allowPlaintextManifest });
  const using = { isUsed: hasRevisionOf, forgetOffersOf };
  const imports: Imports = new Imports({ ...carrying, ...using, pages, drafts, definitions, deployments, diskFree });
  const relief = makeRelief(shared, serversMade, {
    placements,
    migrations,
    tenants,
    manifest: manifestOfRevision,
  });
  return { transfers, migrations, tenants, exports, imports, ...relief };
}
