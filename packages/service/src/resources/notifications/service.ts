import type { Alert, NotificationDelivery } from '@hortus/contract/resources/notifications';
import type { Principal } from '../../identity/principal.ts';
import { conflict, notFound } from '../../problem.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { alertRecord } from './alerts/record.ts';
import { type AlertFilter, alertList, findAlert } from './alerts/store.ts';
import { findChannel, lockChannel } from './channels/store.ts';
import {
  findNotification,
  type NotificationFilter,
  type NotificationRow,
  notificationList,
  resend,
} from './deliveries/store.ts';
import { wakeSender } from './jobs.ts';

export interface NotificationsDeps {
  readonly reader: Queries;
  readonly pages: Pages;
}

/** Reads alerts and messages, and sends messages again. */
export class Notifications {
  readonly #deps: NotificationsDeps;
  constructor(deps: NotificationsDeps) {
    this.#deps = deps;
  }

  async alerts(
    { accountId }: Principal,
    filter: Omit<AlertFilter, 'accountId'>,
    request: PageRequest,
  ): Promise<Page<Alert>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, alertList(reader, { accountId, ...filter }));
    return { ...page, data: page.data.map(alertRecord) };
  }

  async alert({ accountId }: Principal, id: string): Promise<Alert> {
    const row = await findAlert(this.#deps.reader, accountId, id);
    if (!row) throw notFound('alert');
    return alertRecord(row);
  }

  async deliveries(
    { accountId }: Principal,
    filter: Omit<NotificationFilter, 'accountId'>,
    request: PageRequest,
  ): Promise<Page<NotificationDelivery>> {
    const { reader, pages } = this.#deps;
    if (filter.channelId !== undefined && !(await findChannel(reader, accountId, filter.channelId)))
      throw notFound('notification channel');
    const page = await pages.read(request, notificationList(reader, { accountId, ...filter }));
    return { ...page, data: page.data.map(deliveryRecord) };
  }

  async redeliver(tx: Tx, { accountId }: Principal, id: string): Promise<NotificationDelivery> {
    const row = await findNotification(tx, accountId, id);
    const channel = row && (await lockChannel(tx, accountId, row.channel_id));
    if (!row || !channel) throw notFound('delivery');
    if (channel.status === 'paused')
      throw conflict('id', 'paused', 'the channel is paused; set its status to active first.');
    const again = await resend(tx, row);
    await wakeSender(tx, channel.id);
    return deliveryRecord(again);
  }
}

const deliveryRecord = (row: NotificationRow): NotificationDelivery => ({
  id: row.id,
  channel_id: row.channel_id,
  title: row.title,
  alerts: row.alerts,
  status: row.status,
  attempts: row.attempts,
  response_code: row.response_code,
  error: row.error,
  duration_ms: row.duration_ms,
  next_attempt_at: isoOrNull(row.next_attempt_at),
  delivered_at: isoOrNull(row.delivered_at),
  created_at: iso(row.created_at),
});
