import { findIn, listOf, lockIn, ofAccount } from '../../../storage/lists.ts';
import { forUpdate } from '../../../storage/locking.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type ChannelRow = Row<'notification_channels'>;

export const channelList = listOf('notification_channels', ofAccount);

export const findChannel = findIn('notification_channels');
export const lockChannel = lockIn('notification_channels');

export const channelById = (queries: Queries, id: string): Promise<ChannelRow | undefined> =>
  queries.db.selectFrom('notification_channels').selectAll().where('id', '=', id).executeTakeFirst();

export const insertChannel = async (tx: Tx, row: ChannelRow): Promise<void> =>
  void (await tx.db.insertInto('notification_channels').values(row).execute());

export async function updateChannel(tx: Tx, row: ChannelRow, change: Partial<ChannelRow>): Promise<ChannelRow> {
  const columns = { ...change, updated_at: tx.now };
  await tx.db.updateTable('notification_channels').set(columns).where('id', '=', row.id).execute();
  return { ...row, ...columns };
}

/** Removes a channel with its queue and messages. */
export const deleteChannel = (tx: Tx, id: string) =>
  tx.db.deleteFrom('notification_channels').where('id', '=', id).execute();

/** Written only on a change, so that a healthy channel causes no writes. */
export const noteHealth = async (tx: Tx, id: string, well: boolean): Promise<void> =>
  void (await tx.db
    .updateTable('notification_channels')
    .set({ failing_since: well ? null : tx.now })
    .where('id', '=', id)
    .where('failing_since', well ? 'is not' : 'is', null)
    .execute());

/** Locks the active channels of an account, so that none is removed while its queue is written. */
export const lockActiveChannels = (tx: Tx, accountId: string): Promise<{ id: string }[]> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('notification_channels')
      .select('id')
      .where('account_id', '=', accountId)
      .where('status', '=', 'active')
      .orderBy('id'),
  ).execute();

export const channelIdsOf = async (queries: Queries, accountId: string): Promise<string[]> =>
  (await queries.db.selectFrom('notification_channels').select('id').where('account_id', '=', accountId).execute()).map(
    ({ id }) => id,
  );
