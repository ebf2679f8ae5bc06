import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { definitionLifecycle } from './lifecycle.ts';
import type { DefinitionRow } from './store.ts';

/** Assigns a definition to another server. The caller has locked it and moved its instance there. */
export async function relocateDefinition(
  tx: Tx,
  row: DefinitionRow,
  serverId: string,
  actor: string | null,
): Promise<void> {
  await transition(tx, definitionLifecycle, row, 'revise', { actor, set: { server_id: serverId } });
}
