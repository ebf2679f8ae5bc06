import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { createAndDeploy, openInstallation } from './installation.ts';

test('without its daemon a server is offline and its instances are lost; both recover with it', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation();
  const { client } = installation.service;
  const daemon = installation.startDaemon();
  await installation.online();
  const { instanceId: id } = await createAndDeploy(installation, 'lost');
  const server = async () => (await client.call('servers.read', { params: { id: installation.serverId } })).data;
  const instance = async () => (await client.call('instances.read', { params: { id } })).data;
  expect(await server()).toMatchObject({ status: 'online', connected: true });
  const { container_id } = await instance();

  await daemon.kill('SIGKILL');
  await until(async () => (await server()).status === 'offline', {
    describe: 'the server to be offline',
  });
  expect(await server()).toMatchObject({ connected: false, duplicate_seen_at: null });
  expect(await instance()).toMatchObject({ status: 'lost' });
  const { engine } = installation;
  expect(await engine.inspect('lost')).toMatchObject({ id: container_id, state: 'running' });

  installation.startDaemon();
  await installation.online();
  expect(await server()).toMatchObject({ status: 'online', connected: true });
  await until(async () => (await instance()).status === 'running', { describe: 'the instance to run' });
  await until(async () => (await instance()).health === 'healthy', { describe: 'the instance to be healthy' });
  expect(await instance()).toMatchObject({ container_id, revision: 1 });
});
