import { conflict } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import { openPartOf } from './store.ts';

/** Nothing is done to what is on its way: it would be done on the wrong server, or undone by the move. */
export async function requireSettled(tx: Tx, definitionId: string, field = 'definition_id'): Promise<void> {
  const part = await openPartOf(tx, definitionId);
  if (!part) return;
  throw conflict(field, 'migrating', 'the definition is moving to another server; wait for its end, or cancel that.', {
    migration_id: part.migration_id,
  });
}
