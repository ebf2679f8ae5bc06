import { startLoad } from '@hortus/testkit/load';
import { canStartPodman, startPodman } from '@hortus/testkit/podman';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended, inside, openInstallationWithDaemon, redeploy } from './installation.ts';

/** Runs the same scenario as on Docker; the driver hides the differences of the engines. */
const road = async () => {
  await using podman = await startPodman();
  await using installation = await openInstallationWithDaemon({ socketPath: podman.socketPath });
  const { client } = installation.service;
  const { engine } = installation;
  const greeting = (uid: string) => inside(engine, uid, 'wget', '-q', '-O', '-', 'http://127.0.0.1:8080/');

  // Deployed and healthy; an action leaves its trace in the volume.
  const website = await createAndDeploy(installation, 'website', { inputs: { GREETING: 'one' } });
  expect((await client.call('instances.read', { params: { id: website.instanceId } })).data).toMatchObject({
    status: 'running',
    health: 'healthy',
  });
  const note = await act(installation, website.instanceId, 'note', { line: 'kept' });
  expect(await ended(installation, note)).toMatchObject({ status: 'completed', exit_code: 0, output: 'wrote kept\n' });
  expect(await ended(installation, await act(installation, website.instanceId, 'fail'))).toMatchObject({
    status: 'failed',
    exit_code: 3,
    output: 'no\n',
  });

  // With storage it is replaced and keeps its data; an unhealthy version leaves the old one serving.
  expect(await redeploy(installation, website.definitionId, { GREETING: 'two' })).toMatchObject({ status: 'success' });
  expect(await greeting('website')).toBe('two');
  expect(await ended(installation, await act(installation, website.instanceId, 'lines'))).toMatchObject({
    output: 'kept\n',
  });
  expect(await redeploy(installation, website.definitionId, { GREETING: 'three', HEALTH_PATH: '/none' })).toMatchObject(
    {
      status: 'failed',
      reason: 'unhealthy',
    },
  );
  expect(await greeting('website')).toBe('two');

  // Behind a route it is replaced without a lost request.
  const host = 'stateless.test';
  const stateless = await createAndDeploy(installation, 'stateless', {
    species: 'stateless',
    inputs: { WEB_HOSTNAME: host, GREETING: 'first' },
  });
  const load = startLoad({ port: installation.httpPort, host });
  const served = (word: string) => until(() => load.result.bodies.has(word), { describe: `an answer of ${word}` });
  await served('first');
  expect(await redeploy(installation, stateless.definitionId, { GREETING: 'second' })).toMatchObject({
    status: 'success',
    gap_ms: 0,
  });
  await served('second');
  expect((await load.stop()).failures).toEqual([]);

  // The service knows what the server is, and what its containers use.
  const server = async () => (await client.call('servers.read', { params: { id: installation.serverId } })).data;
  await until(async () => (await server()).fingerprint !== null, { describe: 'the fingerprint' });
  expect((await server()).fingerprint).toMatchObject({ engine: 'podman', api_version: '1.41', engine_problem: null });

  const { execution } = await client.call('instances.release', {
    params: { id: website.instanceId },
    body: { remove_volumes: true, confirm: ['data'] },
  });
  expect(await ended(installation, execution.id)).toMatchObject({ status: 'completed' });
  const left = { labels: { 'hortus.instance': 'website' } };
  expect(await engine.containers(left)).toEqual([]);
  expect(await engine.volumes(left)).toEqual([]);
  expect(await engine.networks(left)).toEqual([]);
};

if (canStartPodman) test('deploy, redeploy, actions and release work on Podman', { timeout: 500_000 }, road);
