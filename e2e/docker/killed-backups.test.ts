import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { createAndDeploy, ended, inside, openInstallation } from './installation.ts';

const TIMEOUT_MS = 120_000;

test('after kill -9 during a backup the application runs again and the backup is completed', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation();
  const { engine } = installation;
  const { client } = installation.service;
  const first = installation.startDaemon({ killAt: 'stopped for a backup' });
  await installation.online();
  const uid = 'website-backup';
  const { instanceId } = await createAndDeploy(installation, uid);
  await inside(engine, uid, 'sh', '-c', 'echo rows > /data/lines');
  const { execution, backup } = await client.call('backups.create', { params: { id: instanceId } });
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect((await engine.inspect(uid))?.state).toBe('exited');

  installation.startDaemon();
  await until(async () => (await engine.inspect(uid))?.state === 'running', {
    describe: 'the application to run again',
    within: TIMEOUT_MS,
  });
  // The key was lost with the killed daemon; the service sends it to the next one.
  const end = await ended(installation, execution.id, TIMEOUT_MS);
  expect(end, end.error ?? '').toMatchObject({ status: 'completed' });
  const { data } = await client.call('backups.read', { params: { id: backup.id } });
  expect(data).toMatchObject({ status: 'completed', parts: [{ name: 'data', entries: 1 }] });
  expect((await engine.inspect(uid))?.state).toBe('running');

  await inside(engine, uid, 'rm', '/data/lines');
  const restore = await client.call('backups.restore', { params: { id: backup.id }, body: { confirm: uid } });
  expect(await ended(installation, restore.execution.id, TIMEOUT_MS)).toMatchObject({ status: 'completed' });
  expect(await inside(engine, uid, 'cat', '/data/lines')).toBe('rows\n');
});
