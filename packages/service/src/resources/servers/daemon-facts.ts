import type { Server, ServerLabels } from '@hortus/contract/resources/server-records';
import type { Queries } from '../../storage/storage.ts';
import { labelsOf, type Platform, platformOf } from './record.ts';
import { daemonRows } from './store.ts';

/** What is known about the daemon of a server, for those who order its update. */
export interface DaemonFacts {
  readonly id: string;
  readonly name: string;
  readonly environment: Server['environment'];
  readonly labels: ServerLabels;
  /** Null until it has connected. */
  readonly version: string | null;
  readonly capabilities: readonly string[];
  readonly platform: Platform;
  /** Whether it has an open channel; one that only polls receives no orders to update. */
  readonly connected: boolean;
}

/** Reads the daemons of an account, of all servers or those with the given ids. Removed and foreign servers are missing. */
export async function daemonsOf(
  queries: Queries,
  filter: { readonly accountId: string; readonly ids?: readonly string[] },
): Promise<DaemonFacts[]> {
  if (filter.ids?.length === 0) return [];
  return (await daemonRows(queries, filter)).map((row) => ({
    id: row.id,
    name: row.name,
    environment: row.environment as Server['environment'],
    labels: labelsOf(row),
    version: row.daemon_version,
    capabilities: JSON.parse(row.capabilities) as string[],
    platform: platformOf(row),
    connected: row.connected_replica !== null,
  }));
}
