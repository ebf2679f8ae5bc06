import type { Client } from '@hortus/client/client';
import { eventNames } from '@hortus/contract/events';
import type { Delivery, WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { chosen, readSecret } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList, printRecord } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findListed } from '../lookup/listed.ts';
import { confirmByName } from '../orders/asking.ts';
import { safeText } from '../output/safe-text.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';

const find = (client: Client, input: string): Promise<WebhookEndpoint> =>
  findListed(client.pages('webhooks.list'), 'webhook', input, ({ url }: WebhookEndpoint) => [url]);

export const webhooksList = command({
  name: 'webhooks list',
  summary: 'List the webhooks',
  examples: [['hortus webhooks list', 'With their delivery status.']],
  calls: ['webhooks.list'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('webhooks.list'));
    const { terminal, now } = call.world;
    const failing = ({ failing_since }: WebhookEndpoint) => failing_since && `since ${ago(failing_since, now())}`;
    const columns = [
      { title: 'Address', text: ({ url }: WebhookEndpoint) => url },
      { title: 'Status', painted: (endpoint: WebhookEndpoint) => status(terminal, endpoint.status) },
      { title: 'Failing', text: (endpoint: WebhookEndpoint) => failing(endpoint) ?? '' },
      { title: 'Id', text: ({ id }: WebhookEndpoint) => id },
      { title: 'Events', text: ({ events }: WebhookEndpoint) => events.join(', ') },
    ];
    return printList(call, rows, columns, 'No webhooks. Add one with hortus webhooks add <url>');
  },
});

export const webhooksAdd = command({
  name: 'webhooks add',
  summary: 'Add a webhook',
  about:
    'Asks for the secret that deliveries are signed with, or reads it from a file or a pipe; it is never an argument.',
  args: ['url'],
  options: {
    event: { type: 'string', value: 'event', multiple: true, about: 'Only this event; default is all events.' },
    'secret-file': { type: 'string', value: 'path', about: 'Read the secret from a file; - reads standard input.' },
  },
  examples: [
    ['hortus webhooks add https://ci.example.org/hortus --event deployment.failed', 'Asks for the secret.'],
    ['hortus webhooks add https://ci.example.org/hortus --secret-file secret.txt', 'Every event, for a script.'],
  ],
  calls: ['webhooks.create'],
  async run(call) {
    const { args, options, world } = call;
    const events = options.event.map((word) => chosen('event', word, eventNames) as (typeof eventNames)[number]);
    const secret = await readSecret(world, 'secret to sign with', options['secret-file']);
    const body = { url: args.url, events: events.length > 0 ? events : [...eventNames], secret };
    const { data } = await (await call.client()).call('webhooks.create', { body });
    return printDone(call, data, `Events are sent to ${data.url} (${data.id}).`);
  },
});

export const webhooksRemove = command({
  name: 'webhooks remove',
  summary: 'Remove a webhook',
  args: ['webhook'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus webhooks remove https://ci.example.org/hortus', 'By address or id.']],
  calls: ['webhooks.list', 'webhooks.delete'],
  async run(call) {
    const client = await call.client();
    const { id, url } = await find(client, call.args.webhook);
    await confirmByName(call.world, `${url} stops receiving events.`, url, call.options.yes);
    const { data } = await client.call('webhooks.delete', { params: { id } });
    return printDone(call, data, `${data.url} is removed.`);
  },
});

export const webhooksDeliveries = command({
  name: 'webhooks deliveries',
  summary: 'List the deliveries of a webhook and their responses',
  args: ['webhook'],
  options: { limit: { type: 'string', value: 'number', about: 'Maximum number of entries; default 20.' } },
  examples: [['hortus webhooks deliveries https://ci.example.org/hortus', 'The last twenty, newest first.']],
  calls: ['webhooks.list', 'webhooks.deliveries'],
  async run(call) {
    const limit = Number(call.options.limit ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100)
      throw new Failure('usage', '--limit must be a number from 1 to 100.');
    const client = await call.client();
    const { id } = await find(client, call.args.webhook);
    const { data } = await client.call('webhooks.deliveries', { params: { id }, query: { per_page: limit } });
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Event', text: (delivery: Delivery) => delivery.event_type },
      { title: 'Status', painted: (delivery: Delivery) => status(terminal, delivery.status) },
      { title: 'Answer', text: (delivery: Delivery) => String(delivery.response_code ?? delivery.error ?? '') },
      { title: 'Attempts', text: (delivery: Delivery) => String(delivery.attempts) },
      { title: 'Happened', text: (delivery: Delivery) => ago(delivery.created_at, now()) },
      { title: 'Id', text: (delivery: Delivery) => delivery.id },
    ];
    return printList(call, data, columns, 'No deliveries yet.');
  },
});

export const webhooksDelivery = command({
  name: 'webhooks delivery',
  summary: 'Show a delivery and the answer of the receiver',
  args: ['webhook', 'delivery'],
  examples: [
    [
      'hortus webhooks delivery https://ci.example.org/hortus dlv_01j9zq3v5t8x2m4n6p7r9s0abc',
      'With up to 4 KiB of the answer.',
    ],
  ],
  calls: ['webhooks.list', 'webhooks.delivery'],
  async run(call) {
    const client = await call.client();
    const { id } = await find(client, call.args.webhook);
    const { data } = await client.call('webhooks.delivery', { params: { id, delivery_id: call.args.delivery } });
    const { terminal, now } = call.world;
    printRecord(call, data, [
      ['Event', data.event_type],
      ['Status', { painted: status(terminal, data.status) }],
      ['Answer', String(data.response_code ?? data.error ?? '')],
      ['Attempts', String(data.attempts)],
      ['Happened', ago(data.created_at, now())],
    ]);
    if (data.reply && !call.json) terminal.out(`\n${safeText(data.reply)}\n`);
    return 'ok';
  },
});

export const webhooksResend = command({
  name: 'webhooks resend',
  summary: 'Send a delivery again',
  args: ['webhook', 'delivery'],
  examples: [
    [
      'hortus webhooks resend https://ci.example.org/hortus dlv_01j9zq3v5t8x2m4n6p7r9s0abc',
      'Keeps the event and delivery ids.',
    ],
  ],
  calls: ['webhooks.list', 'webhooks.redeliver'],
  async run(call) {
    const client = await call.client();
    const { id } = await find(client, call.args.webhook);
    const params = { id, delivery_id: call.args.delivery };
    const { data } = await client.call('webhooks.redeliver', { params });
    return printDone(call, data, `${data.event_type} is being sent again.`);
  },
});

export const webhooksTest = command({
  name: 'webhooks test',
  summary: 'Send a test delivery and print the reply of the receiver',
  args: ['webhook'],
  examples: [['hortus webhooks test https://ci.example.org/hortus', 'By address or id.']],
  calls: ['webhooks.list', 'webhooks.test'],
  async run(call) {
    const client = await call.client();
    const { id, url } = await find(client, call.args.webhook);
    const { data } = await client.call('webhooks.test', { params: { id } });
    const reply = data.reply ? ` It replied: ${safeText(data.reply)}` : '';
    if (!data.delivered && !call.json)
      throw new Failure('failed', `${url} did not accept the test: ${data.error}.${reply}`);
    printDone(call, data, `${url} accepted the test (${data.response_code}, ${data.duration_ms} ms).${reply}`);
    return data.delivered ? 'ok' : 'failed';
  },
});
