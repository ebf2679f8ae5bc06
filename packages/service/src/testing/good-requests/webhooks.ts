import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@hortus/testkit/until';
import type { Caller } from '../running-service.ts';
import { aDefinition } from './definitions.ts';
import { fresh, type GoodRequests } from './good.ts';

/** Subscribes to an event that these tests never cause, so that nothing is sent. */
const subscription = () => ({
  url: 'http://127.0.0.1:9/hooks',
  events: ['instance.unhealthy' as const],
  secret: fresh('a secret of my own'),
});

/** Accepts all deliveries while the tests run. */
let receiver: Promise<string> | undefined;

export const receiverUrl = (): Promise<string> => {
  receiver ??= new Promise((listening) => {
    const server = createServer((request, response) => void request.resume().on('end', () => response.end()));
    server.listen(0, '127.0.0.1', () => listening(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    server.unref();
  });
  return receiver;
};

const ofWebhook = async ({ client }: Caller) => ({
  params: { id: (await client.call('webhooks.create', { body: subscription() })).data.id },
});

const ofDelivery = async (caller: Caller) => {
  const body = { ...subscription(), url: await receiverUrl(), events: ['definition.created' as const] };
  const { id } = (await caller.client.call('webhooks.create', { body })).data;
  await aDefinition(caller);
  const query = { status: 'delivered' as const };
  const delivered = async () => (await caller.client.call('webhooks.deliveries', { params: { id }, query })).data[0];
  const { id: delivery_id } = await until(delivered, { describe: 'a delivery' });
  // From here on it is like the others.
  await caller.client.call('webhooks.update', { params: { id }, body: { events: subscription().events } });
  return { params: { id, delivery_id } };
};

export const webhookRequests = {
  'webhooks.list': async (caller) => {
    await ofWebhook(caller);
    return {};
  },
  'webhooks.create': () => ({ body: subscription() }),
  'webhooks.createAlternative': () => ({ body: subscription() }),
  'webhooks.read': ofWebhook,
  'webhooks.update': async (caller) => ({
    ...(await ofWebhook(caller)),
    body: {
      url: 'http://127.0.0.1:9/other',
      events: ['action.failed'],
      secret: 'another secret of mine',
      keep_old_secret_for: 60,
      status: 'paused',
    },
  }),
  'webhooks.redeliver': ofDelivery,
  'webhooks.delivery': ofDelivery,
  'events.list': () => ({}),
} satisfies Partial<GoodRequests>;
