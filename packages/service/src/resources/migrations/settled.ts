import { conflict } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import { openPartOf } from './store.ts';

/** Refuses changes to a definition during its migration: they would happen on the wrong server or be lost. */
export async function requireSettled(tx: Tx, definitionId: string, field = 'definition_id'): Promise<void> {
  const part = await openPartOf(tx, definitionId);
  if (!part) return;
  throw conflict(field, 'migrating', 'the definition is being migrated; wait, or cancel the migration.', {
    migration_id: part.migration_id,
  });
}
