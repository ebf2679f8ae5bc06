import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findIn, listOf, lockById, lockIn } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import type { Slots } from '../../storage/statement.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type ConfirmationRow = Row<'confirmations'>;

export interface ConfirmationFilter {
  readonly accountId: string;
  readonly status?: ConfirmationRow['status'] | undefined;
}

const matching =
  ({ accountId, status }: Slots<ConfirmationFilter>) =>
  (eb: ExpressionBuilder<Tables, 'confirmations'>): Expression<SqlBool> =>
    eb.and([eb('account_id', '=', accountId), ...(status === undefined ? [] : [eb('status', '=', status)])]);

export const confirmationList = listOf('confirmations', matching);

export const findConfirmation = findIn('confirmations');

export const lockConfirmation = lockIn('confirmations');

export const lockConfirmationById = lockById('confirmations');

/** Locks those of an account that are not decided, oldest first. */
export const lockPending = (tx: Tx, accountId: string): Promise<ConfirmationRow[]> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('confirmations')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('status', '=', 'pending')
      .orderBy('id'),
  ).execute();
