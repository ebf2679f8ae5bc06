import { alertMachine } from '@hortus/contract/machines/alert';
import type { Alert, NotificationDelivery } from '@hortus/contract/resources/notifications';
import { chosen } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';
import { findChannel } from './notification-channels.ts';

const limitOption = { type: 'string', value: 'number', about: 'Maximum number of entries; default 20.' } as const;

function limitOf(text: string | undefined): number {
  const limit = Number(text ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new Failure('usage', '--limit must be a number from 1 to 100.');
  return limit;
}

export const alerts = command({
  name: 'alerts',
  summary: 'List open alerts and what to do about them',
  options: {
    all: { type: 'boolean', about: 'Resolved alerts too.' },
    status: { type: 'string', value: 'status', about: `Only alerts in this state: ${alertMachine.states.join(', ')}.` },
    limit: limitOption,
  },
  examples: [
    ['hortus alerts', 'What is wrong now.'],
    ['hortus alerts --all', 'Past alerts too, newest first.'],
  ],
  calls: ['notifications.alerts'],
  async run(call) {
    const { options } = call;
    const state = chosen('status', options.status, alertMachine.states) ?? (options.all ? undefined : 'open');
    const query = { ...(state !== undefined && { status: state }), per_page: limitOf(options.limit) };
    const { data } = await (await call.client()).call('notifications.alerts', { query });
    const { terminal, now } = call.world;
    const styleOf = (word: Alert['status']) => (word === 'open' ? 'bad' : word === 'pending' ? 'warn' : 'still');
    const columns = [
      { title: 'Alert', text: ({ title }: Alert) => title },
      { title: 'Status', painted: (alert: Alert) => status(terminal, alert.status, styleOf(alert.status)) },
      { title: 'Since', text: ({ since }: Alert) => ago(since, now()) },
      { title: 'To do', text: ({ fix }: Alert) => fix },
      { title: 'Details', text: ({ text }: Alert) => text },
    ];
    return printList(call, data, columns, state === 'open' ? 'No open alerts.' : 'No alerts.');
  },
});

export const notificationsDeliveries = command({
  name: 'notifications deliveries',
  summary: 'List the messages about alerts and the replies to them',
  options: {
    channel: { type: 'string', value: 'channel', about: 'Only messages to this channel.' },
    limit: limitOption,
  },
  examples: [['hortus notifications deliveries --channel team', 'The last twenty, newest first.']],
  calls: ['notifications.deliveries', 'notifications.channels'],
  async run(call) {
    const { options } = call;
    const client = await call.client();
    const channel = options.channel === undefined ? undefined : await findChannel(client, options.channel);
    const query = { ...(channel && { channel_id: channel.id }), per_page: limitOf(options.limit) };
    const { data } = await client.call('notifications.deliveries', { query });
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Message', text: ({ title }: NotificationDelivery) => title },
      { title: 'Alerts', text: (delivery: NotificationDelivery) => String(delivery.alerts) },
      { title: 'Status', painted: (delivery: NotificationDelivery) => status(terminal, delivery.status) },
      {
        title: 'Answer',
        text: (delivery: NotificationDelivery) => String(delivery.response_code ?? delivery.error ?? ''),
      },
      { title: 'Attempts', text: (delivery: NotificationDelivery) => String(delivery.attempts) },
      { title: 'Composed', text: (delivery: NotificationDelivery) => ago(delivery.created_at, now()) },
      { title: 'Id', text: ({ id }: NotificationDelivery) => id },
    ];
    return printList(call, data, columns, 'No messages yet.');
  },
});

export const notificationsResend = command({
  name: 'notifications resend',
  summary: 'Send a message about alerts again',
  args: ['delivery'],
  examples: [['hortus notifications resend ntf_01j9zq3v5t8x2m4n6p7r9s0abc', 'With the same content and id.']],
  calls: ['notifications.redeliver'],
  async run(call) {
    const { data } = await (await call.client()).call('notifications.redeliver', {
      params: { id: call.args.delivery },
    });
    return printDone(call, data, `"${data.title}" is being sent again.`);
  },
});
