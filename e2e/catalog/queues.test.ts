import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from './deployed-species.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('rabbitmq', 'nats', 'mosquitto');
  }, 300_000);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  test('RabbitMQ counts, exports, empties a queue and closes connections', { timeout: 300_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'rabbitmq', { WEB_HOSTNAME: 'queues.example.org' });
    const { username, password, url = '' } = deployed.provided();
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const ask = async (method: string, path: string, body: object) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await deployed.fetch(15672, path, { method, headers, body: JSON.stringify(body) });
      expect(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`).toBe(true);
    };
    await ask('PUT', '/api/queues/app/seeds', { durable: true });
    const message = { properties: {}, routing_key: 'seeds', payload: 'poppy', payload_encoding: 'string' };
    await ask('POST', '/api/exchanges/app/amq.default/publish', message);
    expect(await deployed.run('queues')).toMatch(/^seeds\s+classic\s+1\s+0\s+running/m);
    expect(JSON.parse(await deployed.run('export-definitions'))).toMatchObject({
      queues: [{ name: 'seeds', vhost: 'app' }],
    });
    await deployed.run('purge-queue', { queue: 'seeds' });
    expect(await deployed.run('queues')).toMatch(/^seeds\s+classic\s+0\s/m);
    expect(await deployed.run('status')).toContain('rabbit@localhost');

    // The client of the management page connects with the provided attributes.
    await deployed.say(
      'rabbitmqctl',
      'eval',
      `{ok, P} = amqp_uri:parse("${url}"), {ok, _} = amqp_connection:start(P), ok.`,
    );
    expect(await deployed.run('connections')).toContain('app');
    await deployed.run('close-connections');
    await expect.poll(async () => await deployed.run('connections'), { timeout: 60_000 }).not.toContain('app');
    await deployed.checkAndRelease();
  });

  test('NATS lists connections and streams', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'nats');
    const { username: user = '', password: pass = '' } = deployed.provided();
    const { socket, heard } = await speak(deployed, 4222);
    socket.write(`CONNECT ${JSON.stringify({ user, pass, name: 'a client', verbose: false })}\r\nPING\r\n`);
    await expect.poll(heard, { timeout: 60_000 }).toContain('PONG');
    const stream = JSON.stringify({ name: 'SEEDS', subjects: ['seeds.*'] });
    socket.write('SUB _INBOX.1 1\r\n');
    socket.write(`PUB $JS.API.STREAM.CREATE.SEEDS _INBOX.1 ${stream.length}\r\n${stream}\r\n`);
    await expect.poll(heard, { timeout: 60_000 }).toContain('stream_create_response');
    socket.write('PUB seeds.poppy 5\r\nthree\r\nPING\r\n');

    expect(JSON.parse(await deployed.run('stats'))).toMatchObject({ connections: 1 });
    expect(await deployed.run('connections', { limit: 10 })).toContain('a client');
    await expect
      .poll(async () => JSON.parse(await deployed.run('streams')), { timeout: 60_000 })
      .toMatchObject({ messages: 1 });
    expect(await deployed.run('streams')).toContain('SEEDS');
    socket.destroy();
    const { socket: stranger, heard: refusal } = await speak(deployed, 4222);
    stranger.write('CONNECT {"user":"app","pass":"wrong"}\r\nPING\r\n');
    await expect.poll(refusal, { timeout: 60_000 }).toContain('Authorization Violation');
    stranger.destroy();
    await deployed.checkAndRelease();
  });

  async function speak(deployed: DeployedSpecies, port: number): Promise<{ socket: Socket; heard: () => string }> {
    const socket = connect({ host: await deployed.address(), port });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return { socket, heard: () => text };
  }

  test('Mosquitto accepts added users and refuses removed ones', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'mosquitto', { WEB_HOSTNAME: 'mqtt.example.org' });
    const { username = '', password = '' } = deployed.provided();
    const publish = (user: string, secret: string, words: string) =>
      deployed.try('mosquitto_pub', '-u', user, '-P', secret, '-t', 'beds/1', '-r', '-m', words);
    const read = () =>
      deployed.say('mosquitto_sub', '-u', username, '-P', password, '-t', 'beds/1', '-C', '1', '-W', '20');
    expect(await publish(username, password, 'dry')).toMatchObject({ code: 0 });
    expect(await read()).toBe('dry');
    expect(await publish('unknown', 'nothing', 'wet')).not.toMatchObject({ code: 0 });

    await deployed.run('add-user', { username: 'sensor', password: 'wet or dry' });
    await deployed.run('reload');
    await expect.poll(async () => (await publish('sensor', 'wet or dry', 'wet')).code, { timeout: 60_000 }).toBe(0);
    expect(await read()).toBe('wet');
    await deployed.run('remove-user', { username: 'sensor' });
    await deployed.run('reload');
    await expect.poll(async () => (await publish('sensor', 'wet or dry', 'dry')).code, { timeout: 60_000 }).not.toBe(0);
    expect(await publish(username, password, 'dry')).toMatchObject({ code: 0 });

    // Only the broker and root can read the passwords, although a job running as root wrote them.
    expect(await deployed.say('stat', '-c', '%U %a', '/mosquitto/users/passwords')).toBe('mosquitto 600');
    await deployed.checkAndRelease();
  });
}
