import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { definitionLifecycle } from './lifecycle.ts';
import type { DefinitionRow } from './store.ts';

/** Makes another server that of a definition. The caller holds it, and has what runs of it there. */
export async function relocateDefinition(
  tx: Tx,
  row: DefinitionRow,
  serverId: string,
  actor: string | null,
): Promise<void> {
  await transition(tx, definitionLifecycle, row, 'revise', { actor, set: { server_id: serverId } });
}
