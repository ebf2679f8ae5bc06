import type { SelectQueryBuilder } from 'kysely';
import type { Tx } from './storage.ts';

/** Keeps the rows that are read until the transaction ends. SQLite has one writer, so there it goes without saying. */
export function forUpdate<DB, TB extends keyof DB, O>(tx: Tx, query: SelectQueryBuilder<DB, TB, O>) {
  return tx.engine === 'postgres' ? query.forUpdate() : query;
}

/** As above, but passes over the rows that another replica is holding: two claimants never wait for each other. */
export function claiming<DB, TB extends keyof DB, O>(tx: Tx, query: SelectQueryBuilder<DB, TB, O>) {
  return tx.engine === 'postgres' ? query.forUpdate().skipLocked() : query;
}
