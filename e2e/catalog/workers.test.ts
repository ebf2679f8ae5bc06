import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { deploySpecies } from './deployed-species.ts';
import { survivesLoss } from './loss.ts';
import { upgrades } from './upgrade.ts';
import { Visitor } from './visitor.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('rabbitmq');
  }, 300_000);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  test('RabbitMQ delivers waiting messages to workers after a loss and an upgrade', { timeout: 600_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'rabbitmq', { WEB_HOSTNAME: 'queues.example.org' });
    const visitor = new Visitor(deployed);
    const { username, password } = deployed.provided();
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const ask = async (method: string, path: string, body: object) => {
      const answer = await visitor.send(method, path, JSON.stringify(body), { authorization });
      expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
      return answer.text === '' ? undefined : JSON.parse(answer.text);
    };
    const publish = (payload: string) =>
      ask('POST', '/api/exchanges/app/amq.default/publish', {
        properties: { delivery_mode: 2 },
        routing_key: 'seeds',
        payload,
        payload_encoding: 'string',
      });
    const fetch = async (ackmode: string): Promise<string> => {
      const order = { count: 10, ackmode, encoding: 'auto' };
      const messages: { payload: string }[] = await ask('POST', '/api/queues/app/seeds/get', order);
      return messages.map(({ payload }) => payload).join();
    };
    await ask('PUT', '/api/queues/app/seeds', { durable: true });
    for (const seed of ['poppy', 'sage']) await publish(seed);
    const look = () => fetch('ack_requeue_true');
    expect(await look()).toBe('poppy,sage');
    const change = async () => {
      await fetch('ack_requeue_false');
      await ask('DELETE', '/api/queues/app/seeds', {});
    };
    await survivesLoss(catalogInstallation, deployed, { look, change });
    await upgrades(catalogInstallation, deployed);
    await publish('thyme');
    expect(await fetch('ack_requeue_false')).toBe('poppy,sage,thyme');
    expect(await look()).toBe('');
  });
}
