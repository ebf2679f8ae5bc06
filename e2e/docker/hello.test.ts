import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { canStartPodman, startPodman } from '@hortus/testkit/podman';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { createAndDeploy, deploy, finished, openInstallationWithDaemon, redeploy } from './installation.ts';
import { onSwarm } from './on-swarm.ts';

const catalog = join(import.meta.dirname, '../../catalog');
const species = { hello: readFileSync(join(catalog, 'website/hello/template.yaml'), 'utf8') };
const host = 'hello.localhost';

/** Reads a path behind the route, as a browser does for which the name leads to this machine. */
async function get(port: number, path: string): Promise<string> {
  const response = await new Promise<IncomingMessage>((done, fail) => {
    request({ host: '127.0.0.1', port, path, headers: { host } }, done).on('error', fail).end();
  });
  return await text(response);
}

/** Deploys the bundled template without a registry, changes it and rolls it back. */
async function walk(socketPath?: string): Promise<void> {
  await using installation = await openInstallationWithDaemon({ species, ...(socketPath && { socketPath }) });
  const { client } = installation.service;
  const page = (path = '/') => get(installation.httpPort, path);
  const { definitionId, instanceId } = await createAndDeploy(installation, 'hello', {
    species: 'hello',
    inputs: { GREETING: '<b>one</b> & "two"' },
  });
  // The end of the deployment says what runs; nothing has to be waited for.
  expect((await client.call('instances.read', { params: { id: instanceId } })).data).toMatchObject({
    health: 'healthy',
    components: [{ name: 'main', status: 'running', image: 'hortus.invalid/hello:1' }],
  });
  await until(async () => (await page()).includes('&lt;b&gt;one&lt;/b&gt; &amp; '), {
    describe: 'the greeting as text',
  });
  expect(await page('/greeting.txt')).toBe('<b>one</b> & "two"');

  const changed = await redeploy(installation, definitionId, { GREETING: 'three' });
  expect(changed).toMatchObject({ status: 'success', images: [{ component: 'main', digest: null }] });
  await until(async () => (await page('/greeting.txt')) === 'three', { describe: 'the new greeting' });

  const { data } = await client.call('deployments.rollback', { params: { id: changed.id }, body: {} });
  expect(await finished(installation, data.id)).toMatchObject({ status: 'success' });
  await until(async () => (await page('/greeting.txt')).startsWith('<b>one'), { describe: 'the first greeting' });

  const renewal = { definition_id: definitionId, pull: true };
  const renewed = (await client.call('deployments.execute', { body: renewal })).data;
  expect(await finished(installation, renewed.id)).toMatchObject({ status: 'success' });
  expect(await finished(installation, await deploy(installation, definitionId))).toMatchObject({ status: 'success' });
}

test('hello deploys without a registry, is rolled back, and a renewal pulls nothing', { timeout: 240_000 }, () =>
  walk(),
);

if (canStartPodman && !onSwarm)
  test('hello deploys without a registry on Podman', { timeout: 500_000 }, async () => {
    await using podman = await startPodman();
    await walk(podman.socketPath);
  });
