import type { Client } from '@hortus/client/client';
import {
  type ChannelCreate,
  channelTypes,
  type NotificationChannel,
} from '@hortus/contract/resources/notification-channels';
import { assignment, chosen, contentOf, readSecret } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findListed } from '../lookup/listed.ts';
import { confirmByName } from '../orders/asking.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';

export const findChannel = (client: Client, input: string): Promise<NotificationChannel> =>
  findListed(client.pages('notifications.channels'), 'notification channel', input, ({ name }: NotificationChannel) => [
    name,
  ]);

export const channelsList = command({
  name: 'notifications channels list',
  summary: 'List the notification channels',
  examples: [['hortus notifications channels list', 'With their targets; secrets are never shown.']],
  calls: ['notifications.channels'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('notifications.channels'));
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Name', text: ({ name }: NotificationChannel) => name },
      { title: 'Type', text: ({ type }: NotificationChannel) => type },
      { title: 'Status', painted: (channel: NotificationChannel) => status(terminal, channel.status) },
      { title: 'Target', text: ({ target }: NotificationChannel) => target },
      {
        title: 'Failing',
        text: ({ failing_since }: NotificationChannel) => (failing_since ? `since ${ago(failing_since, now())}` : ''),
      },
      { title: 'Id', text: ({ id }: NotificationChannel) => id },
    ];
    return printList(
      call,
      rows,
      columns,
      'No channels, so no alert is sent. Add one with hortus notifications channels add <type> <name>',
    );
  },
});

/** The field that holds the secret of each type, and what to ask for. */
const secrets: Readonly<Partial<Record<ChannelCreate['type'], readonly ['url' | 'token', string]>>> = {
  slack: ['url', 'address of the incoming webhook'],
  discord: ['url', 'address of the webhook'],
  teams: ['url', 'address of the workflow'],
  telegram: ['token', 'token of the bot'],
  gotify: ['token', 'token of the application'],
};

export const channelsAdd = command({
  name: 'notifications channels add',
  summary: 'Add a notification channel',
  about: `Types: ${channelTypes.join(', ')}.
Webhook addresses and tokens are secrets: they are asked for, or read from a file or a pipe, and are never an argument.`,
  args: ['type', 'name'],
  options: {
    to: { type: 'string', value: 'address', multiple: true, about: 'email: a recipient.' },
    url: { type: 'string', value: 'address', about: 'gotify, ntfy, telegram, url: address of the receiver.' },
    topic: { type: 'string', value: 'topic', about: 'ntfy: the topic.' },
    'chat-id': { type: 'string', value: 'id', about: 'telegram: the chat.' },
    header: { type: 'string', value: 'name=value', multiple: true, about: 'url: an additional header.' },
    'template-file': { type: 'string', value: 'path', about: 'url: body of the request, with placeholders.' },
    text: { type: 'boolean', about: 'url: the body is plain text instead of JSON.' },
    'secret-file': { type: 'string', value: 'path', about: 'Read the secret from a file; - reads standard input.' },
  },
  examples: [
    [
      'hortus notifications channels add email ops --to ops@example.org',
      'Mails, if the operator has set a mail server.',
    ],
    ['hortus notifications channels add slack team --secret-file slack-url.txt', 'Reads the address of the webhook.'],
    ['hortus notifications channels add ntfy phone --topic a-long-random-name', 'Push messages to a phone.'],
  ],
  calls: ['notifications.createChannel'],
  async run(call) {
    const { args, options, world } = call;
    const type = chosen('type', args.type, channelTypes, 'The type') as ChannelCreate['type'];
    const [field, what] = secrets[type] ?? [];
    const secret =
      field !== undefined || options['secret-file'] !== undefined
        ? await readSecret(world, what ?? 'access token', options['secret-file'])
        : undefined;
    const template = options['template-file'];
    const headers = Object.fromEntries(options.header.map((text) => assignment('header', text)));
    const body: ChannelCreate = {
      type,
      name: args.name,
      ...(options.to.length > 0 && { to: [...options.to] }),
      ...(options.url !== undefined && { url: options.url }),
      ...(options.topic !== undefined && { topic: options.topic }),
      ...(options['chat-id'] !== undefined && { chat_id: options['chat-id'] }),
      ...(options.header.length > 0 && { headers }),
      ...(template !== undefined && { template: await contentOf(template) }),
      ...(options.text && { content_type: 'text/plain' as const }),
      ...(secret !== undefined && { [field ?? 'token']: secret }),
    };
    const { data } = await (await call.client()).call('notifications.createChannel', { body });
    return printDone(
      call,
      data,
      `Alerts are sent to ${data.name} (${data.target}). Try it: hortus notifications channels test ${data.id}`,
    );
  },
});

export const channelsTest = command({
  name: 'notifications channels test',
  summary: 'Send a test message and show the reply of the receiver',
  args: ['channel'],
  examples: [['hortus notifications channels test team', 'By name or id.']],
  calls: ['notifications.channels', 'notifications.testChannel'],
  async run(call) {
    const client = await call.client();
    const { id, name } = await findChannel(client, call.args.channel);
    const { data } = await client.call('notifications.testChannel', { params: { id } });
    const reply = data.reply === null ? '' : ` It replied: ${data.reply}`;
    if (!data.delivered && !call.json)
      throw new Failure('failed', `${name} did not get the message: ${data.error}.${reply}`);
    printDone(call, data, `${name} accepted the message (${data.response_code}, ${data.duration_ms} ms).${reply}`);
    return data.delivered ? 'ok' : 'failed';
  },
});

export const channelsRemove = command({
  name: 'notifications channels remove',
  summary: 'Remove a notification channel',
  args: ['channel'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus notifications channels remove team', 'Asks for confirmation.']],
  calls: ['notifications.channels', 'notifications.deleteChannel'],
  async run(call) {
    const client = await call.client();
    const { id, name } = await findChannel(client, call.args.channel);
    await confirmByName(call.world, `${name} gets no more alerts.`, name, call.options.yes);
    const { data } = await client.call('notifications.deleteChannel', { params: { id } });
    return printDone(call, data, `${data.name} was removed.`);
  },
});

export const channelsPause = pausing('pause', 'paused', 'gets no alerts until it is resumed');
export const channelsResume = pausing('resume', 'active', 'gets alerts again');

function pausing(verb: 'pause' | 'resume', wanted: NotificationChannel['status'], effect: string) {
  return command({
    name: `notifications channels ${verb}`,
    summary: `${verb === 'pause' ? 'Pause' : 'Resume'} a notification channel`,
    args: ['channel'],
    examples: [[`hortus notifications channels ${verb} team`, 'By name or id.']],
    calls: ['notifications.channels', 'notifications.updateChannel'],
    async run(call) {
      const client = await call.client();
      const { id } = await findChannel(client, call.args.channel);
      const { data } = await client.call('notifications.updateChannel', { params: { id }, body: { status: wanted } });
      return printDone(call, data, `${data.name} ${effect}.`);
    },
  });
}
