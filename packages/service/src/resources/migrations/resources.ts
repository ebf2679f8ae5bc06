import type { BuiltIn } from '@hortus/contract/actions/built-in-actions';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import type { DefinitionRow, RevisionRow } from '../definitions/public.ts';
import type { DeployedFacts, DeploymentsElsewhere } from '../deployments/public.ts';
import type { BuiltInOrder, InstanceRow } from '../instances/public.ts';
import type { ServerState } from '../servers/public.ts';
import type { Transfers } from '../transfers/public.ts';

type Actor = string | null;

/** What a migration needs from other resources. */
export interface MigrationResources {
  readonly server: (queries: Queries, accountId: string, id: string) => Promise<ServerState | undefined>;
  readonly definitions: {
    find(queries: Queries, accountId: string, id: string): Promise<DefinitionRow | undefined>;
    hold(tx: Tx, accountId: string, id: string): Promise<DefinitionRow | undefined>;
    revision(queries: Queries, id: string, number: number): Promise<RevisionRow>;
    relocate(tx: Tx, row: DefinitionRow, serverId: string, actor: Actor): Promise<void>;
  };
  readonly manifest: (queries: Queries, definition: DefinitionRow, revision: number) => Promise<Manifest>;
  readonly instances: {
    /** Finds the unreleased instance of a definition. */
    living(queries: Queries, definitionId: string): Promise<InstanceRow | undefined>;
    hold(tx: Tx, definitionId: string): Promise<InstanceRow | undefined>;
    stop(tx: Tx, definitionId: string, actor: Actor): Promise<unknown>;
    start(tx: Tx, definitionId: string, instanceId: string, actor: Actor): Promise<void>;
    relocate(tx: Tx, instanceId: string, serverId: string, facts: DeployedFacts): Promise<void>;
  };
  readonly executions: {
    order(tx: Tx, order: BuiltInOrder): Promise<{ readonly id: string }>;
    find(queries: Queries, id: string): Promise<Row<'executions'> | undefined>;
    latest(queries: Queries, instanceId: string, slug: BuiltIn): Promise<Row<'executions'> | undefined>;
    /** Lists the containers of an instance on its server, or the names that they have `elsewhere`. */
    containersOf(
      queries: Queries,
      accountId: string,
      instanceId: string,
      options?: { readonly elsewhere?: boolean },
    ): Promise<string[]>;
  };
  /** Whether the daemon of a server can remove an instance by one order, as far as known. */
  readonly canClear: (queries: Queries, serverId: string) => Promise<boolean>;
  readonly deployments: DeploymentsElsewhere;
  readonly transfers: Transfers;
  readonly tenants: {
    /** Ends the move of the tenant: on the target, or on the source if `serverId` is undefined. */
    settle(tx: Tx, accountId: string, id: string, serverId: string | undefined, actor: Actor): Promise<void>;
  };
  readonly capacity: {
    require(tx: Tx, definition: DefinitionRow, serverId: string, revision: number): Promise<void>;
    /** Free disk space in bytes as last reported. */
    diskFree(queries: Queries, accountId: string, serverId: string): Promise<number | null>;
  };
  /** How long data is kept on the source. */
  readonly graceMs: number;
}
