import { enqueue } from '../../jobs/enqueue.ts';
import type { Tx } from '../../storage/storage.ts';

/** Periodic job that looks for what rules watch: servers, disks, instances. */
export const WATCH = 'notifications.watch';
/** Periodic job for what changes slowly: late backups, certificates, upgrades. */
export const WATCH_SLOWLY = 'notifications.watch_slowly';
/** Periodic job that reads the certificates of instances. */
export const CERTIFICATES = 'notifications.certificates';
/** Job that applies the rules of an account to new events. */
export const EVENTS = 'notifications.events';
/** Job that composes the next message to a channel. */
export const COMPOSE = 'notifications.compose';
/** Job that sends the messages to a channel. */
export const SEND = 'notifications.send';

/** Payload of EVENTS. If the job waits already, its payload stays: the number is that of the first event. */
export interface NewEvents {
  readonly account_id: string;
  readonly from_seq: number;
}

export interface OfChannel {
  readonly channel_id: string;
}

const ofChannel = (kind: string) => (tx: Tx, channelId: string, runAt?: number) =>
  enqueue(tx, {
    kind,
    key: channelId,
    payload: { channel_id: channelId } satisfies OfChannel,
    ...(runAt !== undefined && { runAt }),
  });

export const wakeComposer = ofChannel(COMPOSE);
export const wakeSender = ofChannel(SEND);
