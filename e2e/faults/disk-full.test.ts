import { smallDisk } from '@hortus/testkit/small-disk';
import { expect, test } from 'vitest';
import { act, ended, inside, openGarden, plant, redeploy } from '../docker/garden.ts';

test('a daemon whose disk is full starts nothing that it could not remember, says so, and goes on when there is room', {
  timeout: 300_000,
}, async () => {
  await using garden = await openGarden();
  using disk = smallDisk(garden.stateOf(), 16);
  const { engine } = garden;
  const { client } = garden.service;
  const daemon = garden.startDaemon();
  await garden.online();
  const { definitionId, instanceId } = await plant(garden, 'full');
  const container = (await engine.inspect('full'))?.id;
  const trouble = `The daemon cannot write its journal in ${garden.stateOf()} (database or disk is full), so it has started nothing. Make room there and try again.`;

  disk.fill();
  const refused = await redeploy(garden, definitionId, { GREETING: 'too much' });
  expect(refused).toMatchObject({ status: 'failed', reason: 'journal', error: trouble });
  const action = await act(garden, instanceId, 'note', { line: 'too much' });
  expect(await ended(garden, action)).toMatchObject({ status: 'failed', error: trouble });
  const { execution } = await client.call('instances.stop', { params: { id: instanceId } });
  expect(await ended(garden, execution.id)).toMatchObject({ status: 'failed', error: trouble });
  expect(await engine.inspect('full')).toMatchObject({ id: container, state: 'running' });
  expect(await engine.containers({ labels: { 'hortus.instance': 'full' } })).toHaveLength(1);
  expect(await inside(engine, 'full', 'ls', '/data')).toBe('');
  const { data: server } = await client.call('servers.read', { params: { id: garden.serverId } });
  expect(server).toMatchObject({ status: 'online', connected: true });

  disk.makeRoom();
  const again = await act(garden, instanceId, 'note', { line: 'enough' });
  expect(await ended(garden, again)).toMatchObject({ status: 'completed', output: 'wrote enough\n' });
  expect(await redeploy(garden, definitionId, { GREETING: 'enough' })).toMatchObject({ status: 'success' });
  expect(await inside(engine, 'full', 'cat', '/data/lines')).toBe('enough\n');
  expect(daemon.running).toBe(true);
});
