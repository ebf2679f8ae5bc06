import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { signatureFileName } from '@hortus/contract/releases/agent-file';
import { startLoad } from '@hortus/testkit/load';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { createAndDeploy, type Installation, openInstallation } from '../docker/installation.ts';
import { type Release, Releases } from './releases.ts';

test('the service orders updates of the real binary, also through its own restart', { timeout: 600_000 }, async () => {
  await using folder = temporaryFolder('ordered');
  const releases = new Releases(folder.path);
  const installed = await releases.build('0.1.0');
  const next = await releases.build('0.2.0');
  // It starts and opens its journal, but asks the engine for something that does not exist.
  const broken = await releases.build('0.3.0', (code) => code.replaceAll('/containers/json', '/containers/nothing'));
  const agents = join(folder.path, 'agents');
  mkdirSync(agents);
  await using installation = await openInstallation({ env: { HORTUS_AGENTS_DIR: agents } });
  const daemon = installation.startDaemon({ command: [installed.binary] });
  await installation.online();

  const host = 'ordered.example.org';
  await createAndDeploy(installation, 'ordered', { species: 'stateless', inputs: { WEB_HOSTNAME: host } });
  const load = startLoad({ port: installation.httpPort, host });
  await using _load = { [Symbol.asyncDispose]: async () => void (await load.stop()) };
  const containers = async () =>
    (await installation.engine.containers({ labels: { 'hortus.server': installation.serverId } })).map(({ id }) => id);
  const before = await containers();
  const expectUntouched = async () => {
    const wanted = load.result.responded + 20;
    await until(() => load.result.responded >= wanted, { describe: () => `answers; ${load.result.failures.at(-1)}` });
    expect(load.result.failures).toEqual([]);
    expect(await containers()).toEqual(before);
  };

  publish(broken, agents);
  const failed = await order(installation);
  expect(await end(installation, failed)).toMatchObject({
    status: 'failed',
    targets: [{ status: 'returned', reason: 'unhealthy', from_version: '0.1.0' }],
  });
  await installation.online();
  expect(await versionOf(installation)).toBe('0.1.0');
  await expectUntouched();

  publish(next, agents);
  const update = await order(installation);
  await until(async () => (await read(installation, update)).targets[0]?.status !== 'queued', {
    describe: () => `the order\n${daemon.output}`,
  });
  await installation.restartService();
  expect(await end(installation, update)).toMatchObject({
    status: 'completed',
    version: '0.2.0',
    targets: [{ status: 'done', from_version: '0.1.0' }],
  });
  expect(await versionOf(installation)).toBe('0.2.0');
  expect(daemon.running).toBe(true);
  await expectUntouched();
});

/** Replaces the release that the service offers. */
function publish({ binary }: Release, agents: string): void {
  for (const file of [binary, signatureFileName(binary)]) copyFileSync(file, join(agents, basename(file)));
}

async function order({ service, serverId }: Installation): Promise<string> {
  return (await service.client.call('daemon-updates.create', { body: { servers: [serverId] } })).data.id;
}

const read = async ({ service }: Installation, id: string) =>
  (await service.client.call('daemon-updates.read', { params: { id } })).data;

async function end(installation: Installation, id: string) {
  await until(async () => (await read(installation, id)).finished_at !== null, {
    within: 240_000,
    describe: () => `the end of the update\n${installation.service.process.output}`,
  });
  return await read(installation, id);
}

const versionOf = async ({ service, serverId: id }: Installation) =>
  (await service.client.call('servers.read', { params: { id } })).data.daemon.version;
