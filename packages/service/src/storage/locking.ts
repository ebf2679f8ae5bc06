import type { SelectQueryBuilder } from 'kysely';
import type { EngineName } from './session.ts';
import type { Tx } from './storage.ts';

/** Locks the selected rows until the transaction ends. SQLite has one writer and needs no lock. */
export function forUpdate<DB, TB extends keyof DB, O>(tx: Pick<Tx, 'engine'>, query: SelectQueryBuilder<DB, TB, O>) {
  return tx.engine === 'postgres' ? query.forUpdate() : query;
}

/** Allows concurrent use of the rows, but makes `forUpdate` wait until this transaction ends. */
export function forUse<DB, TB extends keyof DB, O>(engine: EngineName, query: SelectQueryBuilder<DB, TB, O>) {
  return engine === 'postgres' ? query.forKeyShare() : query;
}

/**
 * Like `forUpdate`, but skips rows that another replica has locked, so that two claimants never wait for each other.
 */
export function claiming<DB, TB extends keyof DB, O>(tx: Tx, query: SelectQueryBuilder<DB, TB, O>) {
  return tx.engine === 'postgres' ? query.forUpdate().skipLocked() : query;
}
