import type { Client } from '@hortus/client/client';
import {
  type NotificationRule,
  type RuleCreate,
  type RuleUpdate,
  ruleKindNames,
  ruleKinds,
} from '@hortus/contract/resources/notifications';
import { chosen } from '../arguments/value-options.ts';
import { command, type ValuesOf } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findListed } from '../lookup/listed.ts';
import { confirmByName } from '../orders/asking.ts';
import { status } from '../output/status.ts';
import { findChannel } from './notification-channels.ts';

const find = (client: Client, input: string): Promise<NotificationRule> =>
  findListed(client.pages('notifications.rules'), 'notification rule', input, ({ name }: NotificationRule) => [name]);

const thresholdOptions = {
  type: {
    type: 'string',
    value: 'event',
    multiple: true,
    about: 'event: a type of event; a final * matches any ending.',
  },
  minutes: { type: 'string', value: 'number', about: 'How long it must last.' },
  percent: { type: 'string', value: 'number', about: 'disk_above, memory_above: the threshold.' },
  restarts: { type: 'string', value: 'number', about: 'restart_loop: restarts within the minutes.' },
  days: { type: 'string', value: 'number', about: 'certificate_expires: days before it expires.' },
  channel: { type: 'string', value: 'channel', multiple: true, about: 'Send to this channel only; default is all.' },
} as const;

/** Reads thresholds and channels from the options. */
async function inputOf(client: Client, options: ValuesOf<typeof thresholdOptions>): Promise<RuleUpdate> {
  const number = (name: 'minutes' | 'percent' | 'restarts' | 'days') => {
    const text = options[name];
    if (text === undefined) return {};
    if (!/^\d{1,6}$/.test(text)) throw new Failure('usage', `--${name} must be a whole number.`);
    return { [name]: Number(text) };
  };
  const channels = await Promise.all(options.channel.map((input) => findChannel(client, input)));
  return {
    ...(options.type.length > 0 && { types: [...options.type] }),
    ...number('minutes'),
    ...number('percent'),
    ...number('restarts'),
    ...number('days'),
    ...(channels.length > 0 && { channel_ids: channels.map(({ id }) => id) }),
  };
}

const when = ({ types, percent, restarts, minutes, days }: NotificationRule): string =>
  [
    types?.join(', '),
    percent !== null && `above ${percent} %`,
    restarts !== null && `${restarts} restarts`,
    minutes !== null && (restarts === null ? `for ${minutes} min` : `in ${minutes} min`),
    days !== null && `within ${days} days`,
  ]
    .filter(Boolean)
    .join(' ');

export const rulesList = command({
  name: 'notifications rules list',
  summary: 'List the rules that raise alerts',
  examples: [['hortus notifications rules list', 'Those every account has from the start, and your own.']],
  calls: ['notifications.rules'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('notifications.rules'));
    const { terminal } = call.world;
    const columns = [
      { title: 'Name', text: ({ name }: NotificationRule) => name },
      { title: 'Kind', text: ({ kind }: NotificationRule) => kind },
      { title: 'When', text: when },
      { title: 'Status', painted: (rule: NotificationRule) => status(terminal, rule.status) },
      {
        title: 'Channels',
        text: ({ channel_ids }: NotificationRule) => (channel_ids.length === 0 ? 'all' : `${channel_ids.length}`),
      },
      { title: 'Id', text: ({ id }: NotificationRule) => id },
    ];
    return printList(
      call,
      rows,
      columns,
      'No rules, so there are no alerts. Add one with hortus notifications rules add',
    );
  },
});

export const rulesAdd = command({
  name: 'notifications rules add',
  summary: 'Add a rule that raises alerts',
  about: Object.entries(ruleKinds)
    .map(([kind, meaning]) => `${kind}: ${meaning.replaceAll('`', '')}`)
    .join('\n'),
  args: ['kind', 'name'],
  options: thresholdOptions,
  examples: [
    ['hortus notifications rules add disk_above disk-80 --percent 80 --minutes 30', 'To all channels.'],
    ["hortus notifications rules add event logins --type 'audit.login*' --channel security", 'Events, to one channel.'],
  ],
  calls: ['notifications.createRule', 'notifications.channels'],
  async run(call) {
    const { args, options } = call;
    const client = await call.client();
    const kind = chosen('kind', args.kind, ruleKindNames, 'The kind') as RuleCreate['kind'];
    const body = { name: args.name, kind, ...(await inputOf(client, options)) };
    const { data } = await client.call('notifications.createRule', { body });
    return printDone(call, data, `The rule ${data.name} is active (${data.id}).`);
  },
});

export const rulesChange = command({
  name: 'notifications rules change',
  summary: 'Change the thresholds or channels of a rule',
  args: ['rule'],
  options: thresholdOptions,
  examples: [['hortus notifications rules change disk-80 --percent 85', 'The rest stays.']],
  calls: ['notifications.rules', 'notifications.updateRule', 'notifications.channels'],
  async run(call) {
    const client = await call.client();
    const { id } = await find(client, call.args.rule);
    const body = await inputOf(client, call.options);
    const { data } = await client.call('notifications.updateRule', { params: { id }, body });
    return printDone(call, data, `The rule ${data.name} now applies ${when(data) || 'always'}.`);
  },
});

export const rulesRemove = command({
  name: 'notifications rules remove',
  summary: 'Remove a rule',
  args: ['rule'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus notifications rules remove disk-80', 'Its alerts end without a message.']],
  calls: ['notifications.rules', 'notifications.deleteRule'],
  async run(call) {
    const client = await call.client();
    const { id, name } = await find(client, call.args.rule);
    await confirmByName(call.world, `${name} raises no more alerts.`, name, call.options.yes);
    const { data } = await client.call('notifications.deleteRule', { params: { id } });
    return printDone(call, data, `The rule ${data.name} was removed.`);
  },
});

export const rulesPause = pausing('pause', 'paused', 'raises no alerts until it is resumed');
export const rulesResume = pausing('resume', 'active', 'is active again');

function pausing(verb: 'pause' | 'resume', wanted: NotificationRule['status'], effect: string) {
  return command({
    name: `notifications rules ${verb}`,
    summary: `${verb === 'pause' ? 'Pause' : 'Resume'} a rule`,
    args: ['rule'],
    examples: [[`hortus notifications rules ${verb} disk-80`, 'By name or id.']],
    calls: ['notifications.rules', 'notifications.updateRule'],
    async run(call) {
      const client = await call.client();
      const { id } = await find(client, call.args.rule);
      const { data } = await client.call('notifications.updateRule', { params: { id }, body: { status: wanted } });
      return printDone(call, data, `The rule ${data.name} ${effect}.`);
    },
  });
}
