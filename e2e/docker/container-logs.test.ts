import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@hortus/client/client';
import type { ContainerLine } from '@hortus/contract/resources/logs';
import { createDatabase } from '@hortus/testkit/database';
import { startPostgres } from '@hortus/testkit/postgres';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { clientOf, startService } from '../service-process.ts';
import { type Installation, openInstallation, openInstallationWithDaemon } from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

/** Counts without an end, and prints its secret first. */
const counter = `
slug: counter
name: Counter
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
secrets:
  TOKEN: {generate: password, length: 32}
env: {TOKEN: "\${secrets.TOKEN}"}
command: [sh, -c, 'echo "token $TOKEN"; i=0; while :; do i=$((i+1)); echo "line $i"; [ $((i % 20)) = 0 ] && sleep 0.1; done']
stop_signal: SIGKILL
`;

const broken = counter
  .replace('slug: counter', 'slug: broken')
  .replace(/^command: .*$/m, 'command: [sh, -c, "echo starting; echo no $TOKEN here; exit 3"]\nrestart: "no"');

async function deployed(
  installation: Installation,
  species: string,
): Promise<{ id: string; uid: string; failed: unknown }> {
  const { client } = installation.service;
  const body = { species, instance_uid: `${species}-1`, server_id: installation.serverId, inputs: {} };
  const definition_id = (await client.call('definitions.create', { body })).data.id;
  const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
  const read = async () => (await client.call('deployments.read', { params: { id } })).data;
  await until(async () => ['success', 'failed'].includes((await read()).status), {
    within: 120_000,
    describe: 'the deployment',
  });
  const [instance] = (await client.call('instances.list', { query: { definition_id } })).data;
  return { id: instance?.id ?? '', uid: instance?.container_name ?? '', failed: await read() };
}

/** Follows until it is left, across everything that happens to service and daemon. */
function follow(client: Client, id: string) {
  const leaving = new AbortController();
  const lines: ContainerLine[] = [];
  const over = (async () => {
    const call = { params: { id }, query: { after: '0' }, signal: leaving.signal };
    for await (const { event, data } of client.stream('logs.instance', call))
      if (event === 'line') lines.push(data as ContainerLine);
  })();
  let problem: unknown;
  over.catch((error) => {
    problem = error;
  });
  return {
    lines,
    async more(count: number) {
      const wanted = lines.length + count;
      await until(() => lines.length >= wanted || problem, {
        within: 120_000,
        describe: () => `${wanted} lines, got ${lines.length}`,
      });
      expect(problem).toBeUndefined();
    },
    async leave() {
      leaving.abort();
      await over.catch(() => {});
    },
  };
}

/** Expects lines 1, 2, 3 … after the first one, which has the masked secret. */
function expectUnbroken(lines: readonly ContainerLine[]) {
  expect(lines[0]?.text).toBe('token ***');
  expect(lines.slice(1).map(({ text }) => text)).toEqual(lines.slice(1).map((_, i) => `line ${i + 1}`));
}

test('a follower resumes by itself after kill -9 of the daemon and of the service, without a gap or a double', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation({ species: { counter } });
  const daemon = installation.startDaemon();
  await installation.online();
  const { id, uid } = await deployed(installation, 'counter');
  const follower = follow(clientOf(installation.service.base, installation.service.key), id);
  await follower.more(200);
  await daemon.kill('SIGKILL');
  installation.startDaemon();
  await follower.more(200);
  await installation.restartService();
  await follower.more(200);
  await follower.leave();
  expectUnbroken(follower.lines);
  const facts = await installation.engine.inspect(uid);
  const token = facts?.env.find((text) => text.startsWith('TOKEN='))?.slice('TOKEN='.length) ?? '';
  expect(token).toHaveLength(32);
  const ring = join(installation.stateOf(), 'logs', uid, 'main');
  const stored = readdirSync(ring).map((name) => readFileSync(join(ring, name), 'utf8'));
  expect(stored.join('')).toContain('token ***');
  expect(stored.join('')).not.toContain(token);
});

test('with two replicas, logs are read and followed through the one that the daemon is not connected to', {
  timeout: 300_000,
}, async () => {
  const postgres = await startPostgres();
  try {
    const database = await createDatabase(postgres.url);
    const env = {
      HORTUS_DATABASE_URL: database.url,
      HORTUS_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
    };
    await using folder = temporaryFolder('replica');
    await using installation = await openInstallationWithDaemon({ species: { counter }, env });
    const { id } = await deployed(installation, 'counter');
    const other = await startService({ directory: folder.path, key: installation.service.key, env });
    try {
      const { data } = await other.client.call('logs.instance', { params: { id }, query: { after: '0', tail: 10 } });
      expectUnbroken(data.lines);
      const follower = follow(other.client, id);
      await follower.more(300);
      await follower.leave();
      expectUnbroken(follower.lines);
    } finally {
      await other.process.stop();
    }
  } finally {
    await postgres.stop();
  }
});

test('the response of a deployment whose container died has its last lines, masked, and the log stays readable', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallationWithDaemon({ species: { broken } });
  const { id, failed } = await deployed(installation, 'broken');
  expect(failed).toMatchObject({ status: 'failed', last_lines: ['starting', 'no *** here'] });
  const { data } = await installation.service.client.call('logs.instance', { params: { id } });
  expect(data.lines.map(({ text }) => text)).toEqual(['starting', 'no *** here']);
});
