import { builtIn } from '@hortus/contract/built-in-actions';
import type { Tx } from '../../storage/storage.ts';
import type { DefinitionRow } from '../definitions/public.ts';
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

/** Removes everything of an instance from a server that it does not belong to. Returns the execution. */
export async function clear(
  tx: Tx,
  resources: MigrationResources,
  instance: InstanceRow,
  serverId: string,
  startWithinMs: number,
): Promise<string> {
  const params = { server_id: serverId };
  const order = { instance, serverId, slug: builtIn.clear, params, actor: null, startWithinMs } as const;
  return (await resources.executions.order(tx, order)).id;
}
