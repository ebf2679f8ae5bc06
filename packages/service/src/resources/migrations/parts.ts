import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Tx } from '../../storage/storage.ts';
import type { DefinitionRow } from '../definitions/public.ts';
import type { DeployedFacts } from '../deployments/public.ts';
import type { InstanceRow } from '../instances/public.ts';
import type { TransferRow } from '../transfers/public.ts';
import type { MigrationResources } from './resources.ts';
import { lockMigration, type MigrationRow, migrationById, type PartRow, partsOf } from './store.ts';

export interface HeldPart {
  readonly part: PartRow;
  readonly definition: DefinitionRow;
  readonly instance: InstanceRow | undefined;
}

export interface Held {
  readonly row: MigrationRow;
  readonly parts: readonly HeldPart[];
}

/** Locks the definitions in the order of their ids, as all callers do, and then the migration. */
export async function hold(tx: Tx, resources: MigrationResources, id: string): Promise<Held | undefined> {
  const found = await migrationById(tx, id);
  if (!found) return undefined;
  const parts: HeldPart[] = [];
  for (const part of await partsOf(tx, [id])) {
    const definition = await resources.definitions.hold(tx, found.account_id, part.definition_id);
    if (!definition) continue;
    parts.push({ part, definition, instance: await resources.instances.hold(tx, definition.id) });
  }
  const row = await lockMigration(tx, id);
  return row && { row, parts };
}

export const waiting = ({ status }: TransferRow): boolean => status === 'pending' || status === 'running';

/** What a deployment on the target reported, and what is then left on the source. */
export interface Arrival extends DeployedFacts {
  /** Containers on the source, for a daemon that only runs Docker commands. */
  readonly left?: readonly string[];
}

export const arrivalOf = ({ arrival }: PartRow): Arrival | undefined =>
  arrival === null ? undefined : (JSON.parse(arrival) as Arrival);

interface Clearing {
  readonly instance: InstanceRow;
  /** A server that the instance does not belong to. */
  readonly serverId: string;
  /** Its containers there. */
  readonly containers: readonly string[];
  readonly startWithinMs: number;
}

/**
 * Removes everything of an instance from a server. A daemon that only runs Docker commands removes its containers; it has no
 * volumes there, because it cannot move any. Returns the execution.
 */
export async function clear(
  tx: Tx,
  { canClear, executions }: MigrationResources,
  { instance, serverId, containers, startWithinMs }: Clearing,
): Promise<string> {
  const order = { instance, serverId, actor: null, startWithinMs };
  const ordered = (await canClear(tx, serverId))
    ? await executions.order(tx, { ...order, slug: builtIn.clear, params: { server_id: serverId } })
    : await executions.order(tx, { ...order, slug: builtIn.remove, params: { containers } });
  return ordered.id;
}
