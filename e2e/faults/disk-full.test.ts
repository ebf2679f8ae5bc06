import { smallDisk } from '@hortus/testkit/small-disk';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended, inside, openInstallation, redeploy } from '../docker/installation.ts';

test('a daemon with a full disk refuses new work, reports it, and resumes when there is space', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation();
  using disk = smallDisk(installation.stateOf(), 16);
  const { engine } = installation;
  const { client } = installation.service;
  const daemon = installation.startDaemon();
  await installation.online();
  const { definitionId, instanceId } = await createAndDeploy(installation, 'full');
  const container = (await engine.inspect('full'))?.id;
  const trouble = `The daemon cannot write its journal in ${installation.stateOf()} (database or disk is full), so nothing was started. Free some disk space and try again.`;

  disk.fill();
  const refused = await redeploy(installation, definitionId, { GREETING: 'too much' });
  expect(refused).toMatchObject({ status: 'failed', reason: 'journal', error: trouble });
  const action = await act(installation, instanceId, 'note', { line: 'too much' });
  expect(await ended(installation, action)).toMatchObject({ status: 'failed', error: trouble });
  const { execution } = await client.call('instances.stop', { params: { id: instanceId } });
  expect(await ended(installation, execution.id)).toMatchObject({ status: 'failed', error: trouble });
  expect(await engine.inspect('full')).toMatchObject({ id: container, state: 'running' });
  expect(await engine.containers({ labels: { 'hortus.instance': 'full' } })).toHaveLength(1);
  expect(await inside(engine, 'full', 'ls', '/data')).toBe('');
  const { data: server } = await client.call('servers.read', { params: { id: installation.serverId } });
  expect(server).toMatchObject({ status: 'online', connected: true });

  disk.makeRoom();
  const again = await act(installation, instanceId, 'note', { line: 'enough' });
  expect(await ended(installation, again)).toMatchObject({ status: 'completed', output: 'wrote enough\n' });
  expect(await redeploy(installation, definitionId, { GREETING: 'enough' })).toMatchObject({ status: 'success' });
  expect(await inside(engine, 'full', 'cat', '/data/lines')).toBe('enough\n');
  expect(daemon.running).toBe(true);
});
