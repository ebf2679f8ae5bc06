import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { Visitor } from '../visitor.ts';

export function rabbitmq(catalog: Catalog): void {
  catalogTest(
    'RabbitMQ delivers waiting messages to workers after a loss and an upgrade',
    {
      timeout: 600_000,
    },
    async () => {
      const deployed = await deploySpecies(catalog(), 'rabbitmq', { WEB_HOSTNAME: 'queues.example.org' });
      const { queue, publish, fetch, ask } = pageOf(deployed);
      await queue('seeds');
      for (const seed of ['poppy', 'sage']) await publish(seed);
      const list = ['list_queues', '--vhost=app', 'name', 'messages'];
      const counted = async () => {
        const { code, text } = await deployed.try('rabbitmqctl', '--quiet', ...list);
        return code === 0 ? text.trim() : '';
      };
      await until(async () => /seeds\s+2/.test(await counted()), { describe: 'the messages to be counted' });
      const read = async () => `${await counted()} ${await fetch('ack_requeue_true')}`;
      expect(await read()).toMatch(/seeds\s+2 poppy,sage$/);
      const change = async () => {
        await queue('weeds');
        await deployed.run('purge-queue', { queue: 'seeds' });
        expect(await fetch('ack_requeue_false')).toBe('');
        await ask('DELETE', '/api/queues/app/seeds', {});
      };
      const backup = await survivesLoss(catalog(), deployed, { read, change, verify: true });
      expect(backup.parts).toMatchObject([
        { kind: 'dump', name: 'export-definitions' },
        { kind: 'volume', name: 'data' },
      ]);
      await upgrades(catalog(), deployed);
      await publish('thyme');
      await until(async () => /^seeds\s+classic\s+3\s+0\s+running/m.test(await deployed.run('queues')), {
        describe: 'three messages',
      });
      expect(await fetch('ack_requeue_false')).toBe('poppy,sage,thyme');
      expect(await fetch('ack_requeue_true')).toBe('');
      await runActions(deployed);
      await deployed.checkAndRelease();
    },
  );
}

async function runActions(deployed: DeployedSpecies): Promise<void> {
  const { url = '' } = deployed.provided();
  expect(await deployed.run('queues')).toMatch(/^seeds\s+classic\s+0\s/m);
  expect(JSON.parse(await deployed.run('export-definitions'))).toMatchObject({
    queues: [{ name: 'seeds', vhost: 'app' }],
  });
  expect(await deployed.run('status')).toContain('rabbit@localhost');
  // The client of the management page connects with the provided attributes.
  await deployed.say(
    'rabbitmqctl',
    'eval',
    `{ok, P} = amqp_uri:parse("${url}"), {ok, _} = amqp_connection:start(P), ok.`,
  );
  expect(await deployed.run('connections')).toContain('app');
  await deployed.run('close-connections');
  await until(async () => !(await deployed.run('connections')).includes('app'), {
    describe: 'no connection of the worker',
  });
}

/** Requests of its management page, like those of a user. */
function pageOf(deployed: DeployedSpecies) {
  const visitor = new Visitor(deployed);
  const { username, password } = deployed.provided();
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const ask = async (method: string, path: string, body: object) => {
    const response = await visitor.send(method, path, JSON.stringify(body), { authorization });
    expect(response.status, `${path}: ${response.text}`).toBeLessThan(300);
    return response.text === '' ? undefined : JSON.parse(response.text);
  };
  return {
    ask,
    queue: (name: string) => ask('PUT', `/api/queues/app/${name}`, { durable: true }),
    publish: (payload: string) =>
      ask('POST', '/api/exchanges/app/amq.default/publish', {
        properties: { delivery_mode: 2 },
        routing_key: 'seeds',
        payload,
        payload_encoding: 'string',
      }),
    async fetch(ackmode: string): Promise<string> {
      const order = { count: 10, ackmode, encoding: 'auto' };
      const messages: { payload: string }[] = await ask('POST', '/api/queues/app/seeds/get', order);
      return messages.map(({ payload }) => payload).join();
    },
  };
}
