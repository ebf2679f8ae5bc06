import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { openGarden, plant } from './garden.ts';

test('without its daemon a server is offline and its instances are lost; both come back with it', {
  timeout: 300_000,
}, async () => {
  await using garden = await openGarden();
  const { client } = garden.service;
  const daemon = garden.startDaemon();
  await garden.online();
  const { instanceId: id } = await plant(garden, 'lost');
  const server = async () => (await client.call('servers.read', { params: { id: garden.serverId } })).data;
  const instance = async () => (await client.call('instances.read', { params: { id } })).data;
  expect(await server()).toMatchObject({ status: 'online', connected: true });
  const { container_id } = await instance();

  await daemon.kill('SIGKILL');
  await until(async () => (await server()).status === 'offline', {
    describe: 'the server to be offline',
  });
  expect(await server()).toMatchObject({ connected: false, duplicate_seen_at: null });
  expect(await instance()).toMatchObject({ status: 'lost' });
  const { engine } = garden;
  expect(await engine.inspect('lost')).toMatchObject({ id: container_id, state: 'running' });

  garden.startDaemon();
  await garden.online();
  expect(await server()).toMatchObject({ status: 'online', connected: true });
  await until(async () => (await instance()).status === 'running', { describe: 'the instance to run' });
  await until(async () => (await instance()).health === 'healthy', { describe: 'the instance to be healthy' });
  expect(await instance()).toMatchObject({ container_id, revision: 1 });
});
