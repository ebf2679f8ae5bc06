import type { JobKind } from '../../../jobs/job.ts';
import { notYetSent } from '../../../outbound/deliveries.ts';
import { newId } from '../../../records/ids.ts';
import type { Storage } from '../../../storage/storage.ts';
import { channelById } from '../channels/store.ts';
import { type OfChannel, wakeSender } from '../jobs.ts';
import { titleOf } from '../message.ts';
import { choose, compose } from './compose.ts';
import { alertsById, composedSince, hasQueued, insertNotification, takeQueue } from './store.ts';

export interface ComposeDeps {
  readonly storage: Storage;
  readonly publicUrl: string;
}

/** Most messages to a channel within the period; further alerts wait and are summarised. */
const MAX_MESSAGES = 5;
const PERIOD_MS = 600_000;
/** Alerts that are read to choose those that are shown; the rest is only counted. */
const MAX_READ = 500;

/**
 * Composes the next message to a channel out of its queue. Scheduled by the first alert, after the time in which others are
 * grouped with it. The message is stored in the same transaction, under an id
 * that all its attempts keep.
 */
export const composeJob = ({ storage, publicUrl }: ComposeDeps): JobKind => ({
  concurrency: 16,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) =>
    storage.write(async (tx) => {
      const { channel_id: channelId } = job.payload as OfChannel;
      const channel = await channelById(tx, channelId);
      if (!channel || !(await hasQueued(tx, channelId))) return await complete(tx);
      if (channel.status === 'active') {
        const recent = await composedSince(tx, channelId, tx.now - PERIOD_MS);
        const allowed = recent.length < MAX_MESSAGES ? 0 : (recent.at(-MAX_MESSAGES) ?? 0) + PERIOD_MS;
        if (allowed > tx.now) return await complete(tx, { again: allowed });
      }
      const chosen = choose(await takeQueue(tx, channelId));
      // A paused channel misses what happens meanwhile.
      if (channel.status !== 'active' || chosen.length === 0) return await complete(tx);
      const alerts = await alertsById(
        tx,
        chosen.slice(0, MAX_READ).map(({ alert_id }) => alert_id),
      );
      const message = compose({ id: newId('notification'), at: tx.now, link: publicUrl }, chosen, alerts);
      await insertNotification(tx, {
        id: message.id,
        account_id: channel.account_id,
        channel_id: channelId,
        title: titleOf(message),
        alerts: chosen.length,
        message: JSON.stringify(message),
        ...notYetSent(tx.now),
        created_at: tx.now,
      });
      await wakeSender(tx, channelId);
      return await complete(tx);
    }),
});
