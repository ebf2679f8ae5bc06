import type { RuleKind } from '@hortus/contract/resources/notifications';
import { sql } from 'kysely';
import { findIn, listOf } from '../../../storage/lists.ts';
import { forUpdate } from '../../../storage/locking.ts';
import type { Slots } from '../../../storage/statement.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type AlertRow = Row<'alerts'>;

export interface AlertFilter {
  readonly accountId: string;
  readonly status?: AlertRow['status'] | undefined;
}

/** Pending alerts are listed only if asked for: they may never become alerts. */
export const alertList = listOf(
  'alerts',
  ({ accountId, status }: Slots<AlertFilter>) =>
    (eb) =>
      eb.and([
        eb('account_id', '=', accountId),
        status === undefined ? eb('status', '<>', sql.lit('pending' as const)) : eb('status', '=', status),
      ]),
);

export const findAlert = findIn('alerts');

/** Inlined instead of bound, so that the engines can use the partial index. */
const resolved = sql.lit<'resolved'>('resolved');

/** Unresolved alerts of these kinds, in all accounts. */
export const unresolvedOf = (queries: Queries, kinds: readonly RuleKind[]): Promise<AlertRow[]> =>
  queries.db.selectFrom('alerts').selectAll().where('status', '<>', resolved).where('kind', 'in', kinds).execute();

/** The same, and holds them until the transaction ends. */
export const lockUnresolvedOf = (tx: Tx, kinds: readonly RuleKind[]): Promise<AlertRow[]> =>
  forUpdate(
    tx,
    tx.db.selectFrom('alerts').selectAll().where('status', '<>', resolved).where('kind', 'in', kinds).orderBy('id'),
  ).execute();

export const lockUnresolvedAt = (tx: Tx, ruleId: string, subject: string): Promise<AlertRow | undefined> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('alerts')
      .selectAll()
      .where('rule_id', '=', ruleId)
      .where('subject', '=', subject)
      .where('status', '<>', resolved),
  ).executeTakeFirst();

export const lockUnresolvedOfRule = (tx: Tx, ruleId: string): Promise<AlertRow[]> =>
  forUpdate(
    tx,
    tx.db.selectFrom('alerts').selectAll().where('rule_id', '=', ruleId).where('status', '<>', resolved).orderBy('id'),
  ).execute();

/** Accounts among these that have open alerts of these kinds. */
export const accountsWithOpen = async (
  queries: Queries,
  accountIds: readonly string[],
  kinds: readonly RuleKind[],
): Promise<Set<string>> => {
  const rows = await queries.db
    .selectFrom('alerts')
    .select('account_id')
    .distinct()
    .where('account_id', 'in', accountIds)
    .where('status', '=', 'open')
    .where('kind', 'in', kinds)
    .execute();
  return new Set(rows.map(({ account_id }) => account_id));
};

export const deleteAlert = (tx: Tx, id: string) => tx.db.deleteFrom('alerts').where('id', '=', id).execute();

export const noteAlert = (tx: Tx, id: string, columns: Partial<Pick<AlertRow, 'told' | 'title' | 'text' | 'fix'>>) =>
  tx.db
    .updateTable('alerts')
    .set({ ...columns, updated_at: tx.now })
    .where('id', '=', id)
    .execute();

/** Queues an alert for the next message to each channel; a repetition within one message is left out. */
export const queue = (tx: Tx, alertId: string, channelIds: readonly string[], phase: 'opened' | 'resolved') =>
  tx.db
    .insertInto('notification_queue')
    .values(channelIds.map((channel_id) => ({ channel_id, alert_id: alertId, phase, created_at: tx.now })))
    .onConflict((clash) => clash.doNothing())
    .execute();
