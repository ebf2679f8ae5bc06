import type { SelectQueryBuilder } from 'kysely';
import type { EngineName } from './session.ts';
import type { Tx } from './storage.ts';

/** Keeps the rows that are read until the transaction ends. SQLite has one writer, so there it goes without saying. */
export function forUpdate<DB, TB extends keyof DB, O>(tx: Pick<Tx, 'engine'>, query: SelectQueryBuilder<DB, TB, O>) {
  return tx.engine === 'postgres' ? query.forUpdate() : query;
}

/** Others may use the rows at the same time, but whoever wants them `forUpdate` waits until this transaction ends. */
export function forUse<DB, TB extends keyof DB, O>(engine: EngineName, query: SelectQueryBuilder<DB, TB, O>) {
  return engine === 'postgres' ? query.forKeyShare() : query;
}

/** As `forUpdate`, but passes over the rows that another replica is holding: two claimants never wait for each other. */
export function claiming<DB, TB extends keyof DB, O>(tx: Tx, query: SelectQueryBuilder<DB, TB, O>) {
  return tx.engine === 'postgres' ? query.forUpdate().skipLocked() : query;
}
