import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { openThreeServers, type ThreeServers } from './three-servers.ts';

const SERVERS = ['attic', 'barn', 'cellar'];
const NUMBER = 30;
const uids = Array.from({ length: NUMBER }, (_, index) => `leaf-${String(index).padStart(2, '0')}`);
const serverOf = (index: number): string => SERVERS[index % SERVERS.length] ?? '';

/** Writes a garden of 30 definitions on three servers; every third needs the one before it. */
function writeGarden({ folder }: ThreeServers, inputs: Readonly<Record<string, object>> = {}): string {
  const definitions = uids.map((uid, index) => [
    uid,
    {
      species: 'leaf',
      server: serverOf(index),
      watch_seconds: 0,
      inputs: { GREETING: `I am ${uid}`, ...inputs[uid] },
      ...(index % 3 === 2 && { needs: [uids[index - 1]] }),
    },
  ]);
  const file = join(folder, 'garden.yaml');
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify({ name: 'home', definitions: Object.fromEntries(definitions) }, null, 2));
  return file;
}

const allDeployments = async ({ service }: ThreeServers) =>
  await Array.fromAsync(service.client.pages('deployments.list', { query: { per_page: 100 } }));

/** Returns the ids of the containers of each definition, read from the engine itself. */
async function containersByUid({ servers }: ThreeServers): Promise<Record<string, string[]>> {
  const engine = servers[0]?.engine;
  const entries = uids.map(async (uid) => {
    const found = (await engine?.containers({ labels: { 'hortus.instance': uid } })) ?? [];
    return [uid, found.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

test('thirty definitions on three servers are applied exactly once although client and service are killed', {
  timeout: 900_000,
}, async () => {
  await using all = await openThreeServers();
  const file = writeGarden(all);
  const apply = ['apply', '-f', file, '--yes', '--wait'] as const;
  const killed = all.hortus(...apply);
  const succeeded = async () => (await allDeployments(all)).filter(({ status }) => status === 'success').length;
  await until(async () => (await succeeded()) >= 6, {
    within: 300_000,
    describe: () => `some deployments to succeed; the client wrote:\n${killed.output}`,
  });
  await killed.kill('SIGKILL');
  await all.restartService();

  const again = all.hortus(...apply);
  const { code } = await again.exited;
  expect(code, again.output).toBe(0);
  const { data } = await all.service.client.call('definitions.list', { query: { per_page: 100 } });
  const names = new Map(all.servers.map(({ serverId, name }) => [serverId, name]));
  const made = data.map(({ instance_uid, server_id, inputs, current_revision, status }) => [
    ...[instance_uid, names.get(server_id), inputs.GREETING, current_revision, status],
  ]);
  expect(made.sort()).toEqual(uids.map((uid, index) => [uid, serverOf(index), `I am ${uid}`, 1, 'active']));
  const deployments = await allDeployments(all);
  expect(deployments.map(({ status }) => status)).toEqual(Array(NUMBER).fill('success'));
  expect(new Set(deployments.map(({ definition_id }) => definition_id)).size).toBe(NUMBER);
  const before = await containersByUid(all);
  for (const uid of uids) expect(before[uid], uid).toHaveLength(1);

  const second = all.hortus(...apply);
  expect((await second.exited).code).toBe(0);
  expect(second.stdout).toBe(`Nothing to do: ${NUMBER} unchanged.\n`);
  expect(await allDeployments(all)).toHaveLength(NUMBER);

  // A broken change: the old containers keep running, and the definition keeps its revision.
  writeGarden(all, { 'leaf-00': { HEALTH_PATH: '/nothing-here' } });
  const broken = all.hortus(...apply);
  expect((await broken.exited).code, broken.output).toBe(1);
  expect(broken.stdout).toContain('definition leaf-00');
  expect(await containersByUid(all)).toEqual(before);
  const leaf = (await all.service.client.call('definitions.list', { query: { q: 'leaf-00' } })).data[0];
  expect(leaf).toMatchObject({ current_revision: 1, inputs: { GREETING: 'I am leaf-00' } });
  const events = async () =>
    (await all.service.client.call('events.list', { query: { type: 'garden.failed', after: 0 } })).data;
  await until(async () => (await events()).length > 0, { describe: 'the event of the failure' });
  expect((await events())[0]?.data).toMatchObject({ error: expect.stringContaining('leaf-00') });
});
