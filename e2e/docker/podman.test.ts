import { startLoad } from '@hortus/testkit/load';
import { canStartPodman, startPodman } from '@hortus/testkit/podman';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, ended, inside, openTendedGarden, plant, redeploy } from './garden.ts';

/** The same road as on Docker: what differs between the engines is the driver's business, not that of whoever deploys. */
const road = async () => {
  await using podman = await startPodman();
  await using garden = await openTendedGarden({ socketPath: podman.socketPath });
  const { client } = garden.service;
  const { engine } = garden;
  const greeting = (uid: string) => inside(engine, uid, 'wget', '-q', '-O', '-', 'http://127.0.0.1:8080/');

  // Deployed and healthy; an action leaves its trace in the volume.
  const plot = await plant(garden, 'plot', { inputs: { GREETING: 'one' } });
  expect((await client.call('instances.read', { params: { id: plot.instanceId } })).data).toMatchObject({
    status: 'running',
    health: 'healthy',
  });
  const note = await act(garden, plot.instanceId, 'note', { line: 'kept' });
  expect(await ended(garden, note)).toMatchObject({ status: 'completed', exit_code: 0, output: 'wrote kept\n' });
  expect(await ended(garden, await act(garden, plot.instanceId, 'fail'))).toMatchObject({
    status: 'failed',
    exit_code: 3,
    output: 'no\n',
  });

  // With storage it is made anew, and keeps its data; a version that is never healthy leaves the old one serving.
  expect(await redeploy(garden, plot.definitionId, { GREETING: 'two' })).toMatchObject({ status: 'success' });
  expect(await greeting('plot')).toBe('two');
  expect(await ended(garden, await act(garden, plot.instanceId, 'lines'))).toMatchObject({ output: 'kept\n' });
  expect(await redeploy(garden, plot.definitionId, { GREETING: 'three', HEALTH_PATH: '/none' })).toMatchObject({
    status: 'failed',
    reason: 'unhealthy',
  });
  expect(await greeting('plot')).toBe('two');

  // Behind a route it is replaced beside its predecessor, and no request is lost.
  const host = 'meadow.test';
  const meadow = await plant(garden, 'meadow', {
    species: 'meadow',
    inputs: { WEB_HOSTNAME: host, GREETING: 'first' },
  });
  const load = startLoad({ port: garden.httpPort, host });
  const served = (word: string) => until(() => load.result.bodies.has(word), { describe: `an answer of ${word}` });
  await served('first');
  expect(await redeploy(garden, meadow.definitionId, { GREETING: 'second' })).toMatchObject({
    status: 'success',
    gap_ms: 0,
  });
  await served('second');
  expect((await load.stop()).failures).toEqual([]);

  // The service knows what the server is, and what its containers use.
  const server = async () => (await client.call('servers.read', { params: { id: garden.serverId } })).data;
  await until(async () => (await server()).fingerprint !== null, { describe: 'the fingerprint' });
  expect((await server()).fingerprint).toMatchObject({ engine: 'podman', api_version: '1.41', engine_problem: null });

  const { execution } = await client.call('instances.release', {
    params: { id: plot.instanceId },
    body: { remove_volumes: true, confirm: ['data'] },
  });
  expect(await ended(garden, execution.id)).toMatchObject({ status: 'completed' });
  const left = { labels: { 'hortus.instance': 'plot' } };
  expect(await engine.containers(left)).toEqual([]);
  expect(await engine.volumes(left)).toEqual([]);
  expect(await engine.networks(left)).toEqual([]);
};

if (canStartPodman) test('the whole road on Podman', { timeout: 500_000 }, road);
