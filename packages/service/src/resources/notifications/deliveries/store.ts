import { type Expression, type SqlBool, sql } from 'kysely';
import { type Attempt, notYetSent } from '../../../outbound/deliveries.ts';
import { findIn, listOf } from '../../../storage/lists.ts';
import type { Slots } from '../../../storage/statement.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type NotificationRow = Row<'notifications'>;

export interface NotificationFilter {
  readonly accountId: string;
  readonly channelId?: string | undefined;
  readonly status?: NotificationRow['status'] | undefined;
}

export const notificationList = listOf(
  'notifications',
  ({ accountId, channelId, status }: Slots<NotificationFilter>) =>
    (eb) => {
      const conditions: Expression<SqlBool>[] = [eb('account_id', '=', accountId)];
      if (channelId !== undefined) conditions.push(eb('channel_id', '=', channelId));
      if (status !== undefined) conditions.push(eb('status', '=', status));
      return eb.and(conditions);
    },
);

export const findNotification = findIn('notifications');

export const insertNotification = async (tx: Tx, row: NotificationRow): Promise<void> =>
  void (await tx.db.insertInto('notifications').values(row).execute());

/** Resets a message; earlier attempts are forgotten. */
export async function resend(tx: Tx, row: NotificationRow): Promise<NotificationRow> {
  const columns = notYetSent(tx.now);
  await tx.db.updateTable('notifications').set(columns).where('id', '=', row.id).execute();
  return { ...row, ...columns };
}

/** When the messages of a channel since a time were composed, oldest first. */
export const composedSince = async (queries: Queries, channelId: string, since: number): Promise<number[]> =>
  (
    await queries.db
      .selectFrom('notifications')
      .select('created_at')
      .where('channel_id', '=', channelId)
      .where('created_at', '>', since)
      .orderBy('id', 'desc')
      .limit(100)
      .execute()
  )
    .map(({ created_at }) => created_at)
    .toReversed();

export const hasQueued = async (queries: Queries, channelId: string): Promise<boolean> =>
  (await queries.db
    .selectFrom('notification_queue')
    .select('channel_id')
    .where('channel_id', '=', channelId)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Takes everything out of the queue of a channel. What is queued meanwhile is not returned and stays. */
export const takeQueue = (tx: Tx, channelId: string) =>
  tx.db
    .deleteFrom('notification_queue')
    .where('channel_id', '=', channelId)
    .returning(['alert_id', 'phase', 'created_at'])
    .execute();

export const alertsById = (queries: Queries, ids: readonly string[]): Promise<Row<'alerts'>[]> =>
  queries.db.selectFrom('alerts').selectAll().where('id', 'in', ids).execute();

/** Inlined instead of bound, so that the engines can use the partial index. */
const pending = sql.lit<'pending'>('pending');

export const dueNotifications = (queries: Queries, channelId: string, now: number, max: number) =>
  queries.db
    .selectFrom('notifications')
    .select(['id', 'attempts', 'created_at', 'message'])
    .where('channel_id', '=', channelId)
    .where('status', '=', pending)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(max)
    .execute();

/** Time of the next attempt; undefined if nothing is pending. */
export const nextAttemptAt = async (queries: Queries, channelId: string): Promise<number | undefined> =>
  (
    await queries.db
      .selectFrom('notifications')
      .select('next_attempt_at')
      .where('channel_id', '=', channelId)
      .where('status', '=', pending)
      .orderBy('next_attempt_at')
      .limit(1)
      .executeTakeFirst()
  )?.next_attempt_at ?? undefined;

/** Does nothing if the message has already ended: of two concurrent senders the first result counts. */
export const recordAttempt = async (tx: Tx, { id, ...columns }: Attempt): Promise<void> =>
  void (await tx.db
    .updateTable('notifications')
    .set(columns)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute());
