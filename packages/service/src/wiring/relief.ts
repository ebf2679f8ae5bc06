import type { Manifest } from '@hortus/contract/template/manifest';
import { Problem } from '../problem.ts';
import { type DefinitionRow, definitionsOf, findDefinition } from '../resources/definitions/public.ts';
import { Evacuations } from '../resources/evacuations/service.ts';
import { livingRevision } from '../resources/instances/public.ts';
import { findMigration } from '../resources/migrations/public.ts';
import type { Migrations } from '../resources/migrations/service.ts';
import { Balances } from '../resources/servers/placement/balance.ts';
import { tenantsOn } from '../resources/tenants/public.ts';
import type { Tenants } from '../resources/tenants/service.ts';
import type { Queries } from '../storage/storage.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { DeploymentsMade } from './deployments.ts';
import type { ServersMade } from './servers.ts';

/** Far more than a server can run. */
const MAX_EVACUATED = 10_000;

interface ReliefParts extends Pick<DeploymentsMade, 'placements'> {
  readonly migrations: Migrations;
  readonly tenants: Tenants;
  readonly manifest: (queries: Queries, definition: DefinitionRow, revision: number) => Promise<Manifest>;
}

/** Creates what takes load off a server by migrations: its evacuation, and balancing it with others. */
export function makeRelief(
  { storage, pages }: SharedDependencies,
  { server, drains }: ServersMade,
  { placements, migrations, tenants, manifest }: ReliefParts,
) {
  const { reader } = storage;
  const evacuations = new Evacuations({
    storage,
    pages,
    resources: {
      server,
      drain: (tx, ...args) => drains.drain(tx, ...args),
      definitionsOn: (queries, accountId, serverId) =>
        definitionsOf(queries, { accountId, serverId }).rows(MAX_EVACUATED, 0),
      definition: findDefinition,
      tenantsOn,
      runningRevision: livingRevision,
      manifest,
      placements,
      planMigration: (queries, wanted) => migrations.plan(queries, wanted),
      migrateDefinition: (tx, ...args) => migrations.orderDefinition(tx, ...args),
      migrateTenant: (tx, ...args) => tenants.migrate(tx, ...args),
      migration: findMigration,
    },
  });
  const balances = new Balances({
    reader,
    placements,
    movablesOn: async (queries, accountId, serverId) =>
      (await definitionsOf(queries, { accountId, serverId }).rows(MAX_EVACUATED, 0)).filter(
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
  return { evacuations, balances };
}
