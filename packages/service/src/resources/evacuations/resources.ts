import type { MigrationAnswer, MigrationOrder, MigrationPlan } from '@hortus/contract/resources/migrations';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Principal } from '../../identity/principal.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { DefinitionRow } from '../definitions/public.ts';
import type { Migrations } from '../migrations/public.ts';
import type { Placements, ServerState } from '../servers/public.ts';

type Order = (tx: Tx, principal: Principal, id: string, order: MigrationOrder) => Promise<MigrationAnswer>;

/** What an evacuation needs from other resources. */
export interface EvacuationResources {
  readonly server: (queries: Queries, accountId: string, id: string) => Promise<ServerState | undefined>;
  readonly drain: (tx: Tx, principal: Principal, serverId: string) => Promise<unknown>;
  /** Lists the definitions on a server that are not archived, without copies and deploy tests. */
  readonly definitionsOn: (queries: Queries, accountId: string, serverId: string) => Promise<readonly DefinitionRow[]>;
  readonly definition: (queries: Queries, accountId: string, id: string) => Promise<DefinitionRow | undefined>;
  readonly tenantsOn: (
    queries: Queries,
    accountId: string,
    serverId: string,
  ) => Promise<readonly { readonly id: string; readonly name: string }[]>;
  readonly runningRevision: (queries: Queries, definitionId: string) => Promise<number | null>;
  readonly manifest: (queries: Queries, definition: DefinitionRow, revision: number) => Promise<Manifest>;
  readonly placements: Pick<Placements, 'survey' | 'require'>;
  readonly planMigration: (queries: Queries, wanted: Parameters<Migrations['plan']>[1]) => Promise<MigrationPlan>;
  readonly migrateDefinition: Order;
  readonly migrateTenant: Order;
  readonly migration: (
    queries: Queries,
    accountId: string,
    id: string,
  ) => Promise<
    { readonly status: string; readonly error: string | null; readonly downtime_ms: number | null } | undefined
  >;
}
