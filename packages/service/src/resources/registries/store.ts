import { findIn, list, ofAccount } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row } from '../../storage/tables.ts';

export type RegistryRow = Row<'registries'>;

/** Sorted by host. */
export const registryList = list<{ readonly accountId: string }, RegistryRow>('registries', {
  page: (db, filter, { limit, offset }) =>
    db.selectFrom('registries').selectAll().where(ofAccount(filter)).orderBy('host').limit(limit).offset(offset),
  all: (db, filter) => db.selectFrom('registries').select('id').where(ofAccount(filter)),
});

export const registriesAt = (queries: Queries, accountId: string, hosts: readonly string[]): Promise<RegistryRow[]> =>
  queries.db
    .selectFrom('registries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('host', 'in', hosts)
    .orderBy('host')
    .execute();

export const findRegistry = findIn('registries');

/** Returns false if the account already has a registry with that host. */
export async function insertRegistry(tx: Tx, row: NewRow<'registries'>): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('registries')
    .values(row)
    .onConflict((clash) => clash.columns(['account_id', 'host']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Locks the registry. */
export const heldRegistry = (tx: Tx, accountId: string, id: string): Promise<RegistryRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('registries').selectAll().where('id', '=', id).where('account_id', '=', accountId),
  ).executeTakeFirst();

export async function updateRegistry(
  tx: Tx,
  id: string,
  set: Pick<RegistryRow, 'username' | 'password' | 'updated_at'>,
): Promise<void> {
  await tx.db.updateTable('registries').set(set).where('id', '=', id).execute();
}

export async function deleteRegistry(tx: Tx, id: string): Promise<void> {
  await tx.db.deleteFrom('registries').where('id', '=', id).execute();
}
