import { until } from '@hortus/testkit/until';
import type { Caller } from '../running-service.ts';
import { aDefinition } from './definitions.ts';
import { fresh, type GoodRequests } from './good.ts';
import { receiverUrl } from './webhooks.ts';

/** Removes the channels and rules of earlier requests, long before an account has as many as it may have. */
async function makeRoom({ client }: Caller): Promise<void> {
  const all = { query: { per_page: 100 } };
  const rules = (await client.call('notifications.rules', all)).data;
  if (rules.length > 60) for (const { id } of rules) await client.call('notifications.deleteRule', { params: { id } });
  const channels = (await client.call('notifications.channels', all)).data;
  if (channels.length > 30)
    for (const { id } of channels) await client.call('notifications.deleteChannel', { params: { id } });
}

async function aChannel(caller: Caller) {
  await makeRoom(caller);
  const url = `${await receiverUrl()}services/T0/B0/secret`;
  const body = { type: 'slack' as const, name: fresh('channel'), url };
  return (await caller.client.call('notifications.createChannel', { body })).data;
}

const ofChannel = async (caller: Caller) => ({ params: { id: (await aChannel(caller)).id } });

const rule = () => ({ name: fresh('rule'), kind: 'disk_above' as const, percent: 80, minutes: 10 });

async function aRule(caller: Caller) {
  await makeRoom(caller);
  return (await caller.client.call('notifications.createRule', { body: rule() })).data;
}

const ofRule = async (caller: Caller) => ({ params: { id: (await aRule(caller)).id } });

/** Reports the creation of a definition to a channel. The rule is removed afterwards, so that it reports nothing else. */
async function aReport(caller: Caller) {
  const { client } = caller;
  const channel = await aChannel(caller);
  const types = ['definition.created'];
  const { id: ruleId } = (
    await client.call('notifications.createRule', {
      body: { name: fresh('rule'), kind: 'event', types, channel_ids: [channel.id] },
    })
  ).data;
  await aDefinition(caller);
  const query = { channel_id: channel.id, status: 'delivered' as const };
  const sent = async () => (await client.call('notifications.deliveries', { query })).data[0];
  const delivery = await until(sent, { describe: 'a message' });
  const alerts = (await client.call('notifications.alerts', { query: { per_page: 100 } })).data;
  const alert = alerts.find(({ rule_id }) => rule_id === ruleId);
  await client.call('notifications.deleteRule', { params: { id: ruleId } });
  if (!alert) throw new Error('The message reports an alert that is not listed.');
  return { delivery, alert };
}

export const notificationRequests = {
  'notifications.channels': async (caller) => {
    await aChannel(caller);
    return {};
  },
  'notifications.createChannel': async (caller) => {
    await makeRoom(caller);
    return { body: { type: 'gotify', name: fresh('channel'), url: 'http://127.0.0.1:9/', token: fresh('token') } };
  },
  'notifications.readChannel': ofChannel,
  'notifications.updateChannel': async (caller) => ({
    ...(await ofChannel(caller)),
    body: { name: fresh('channel'), url: 'http://127.0.0.1:9/other', status: 'paused' },
  }),
  'notifications.deleteChannel': ofChannel,
  'notifications.testChannel': ofChannel,
  'notifications.rules': () => ({}),
  'notifications.createRule': async (caller) => ({
    body: { ...rule(), channel_ids: [(await aChannel(caller)).id], status: 'active' },
  }),
  'notifications.readRule': ofRule,
  'notifications.updateRule': async (caller) => ({
    ...(await ofRule(caller)),
    body: { name: fresh('rule'), percent: 95, minutes: 1, channel_ids: [], status: 'paused' },
  }),
  'notifications.deleteRule': ofRule,
  'notifications.alerts': async (caller) => {
    await aReport(caller);
    return {};
  },
  'notifications.readAlert': async (caller) => ({ params: { id: (await aReport(caller)).alert.id } }),
  'notifications.deliveries': async (caller) => {
    await aReport(caller);
    return {};
  },
  'notifications.redeliver': async (caller) => ({ params: { id: (await aReport(caller)).delivery.id } }),
} satisfies Partial<GoodRequests>;
