import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FollowedGarden } from '@hortus/contract/resources/garden-sources';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { sendPush, startForge } from './stand-in-forge.ts';
import {
  allDeployments,
  containersByUid,
  expectEachOnce,
  NUMBER,
  succeededDeployments,
  thirtyLeaves,
} from './thirty-leaves.ts';
import { openThreeServers, type ThreeServers } from './three-servers.ts';

/** Follows a repository with the command line; only pushes let it be read. */
async function follow(all: ThreeServers, url: string, token: string): Promise<FollowedGarden> {
  const file = join(all.folder, 'token');
  writeFileSync(file, `${token}\n`);
  const options = ['--mode', 'apply', '--provider', 'forgejo', '--interval', '24h', '--token-file', file, '--json'];
  const command = all.hortus('gardens', 'follow', url, ...options);
  expect((await command.exited).code, command.output).toBe(0);
  return JSON.parse(command.stdout);
}

const commitOf = async ({ service }: ThreeServers, id: string, sha: string) =>
  (await service.client.call('gardens.commits', { params: { id } })).data.find((item) => item.sha === sha);

/** Waits for the end of a commit. */
const ended = (all: ThreeServers, id: string, sha: string) =>
  until(
    async () => {
      const commit = await commitOf(all, id, sha);
      return commit?.finished_at ? commit : undefined;
    },
    { within: 400_000, describe: `the end of the commit ${sha}` },
  );

const eventsOf = async ({ service }: ThreeServers, type: string) =>
  (await service.client.call('events.list', { query: { type, after: 0 } })).data;

test('a followed repository is applied exactly once although the service is killed; a broken commit changes nothing', {
  timeout: 900_000,
}, async () => {
  await using all = await openThreeServers();
  const token = 'a-token-of-the-forge';
  await using forge = await startForge({ username: 'git', token });
  const repository = await forge.repository('ada/home');
  const empty = await repository.commit({ 'garden.yaml': 'name: home\n' }, 'Begin the garden');
  const { id, webhook } = await follow(all, repository.url, token);
  expect((await ended(all, id, empty)).status).toBe('applied');
  const statusesOf = (sha: string) => forge.statuses.filter((status) => status.sha === sha);
  const reported = (sha: string, state: string) =>
    until(() => statusesOf(sha).find((status) => status.state === state), {
      describe: () => `the status ${state}; received: ${JSON.stringify(statusesOf(sha))}`,
    });

  const first = await repository.commit({ 'garden.yaml': thirtyLeaves() }, 'Plant thirty leaves');
  const requests = forge.requests.length;
  expect(await sendPush({ ...webhook, secret: 'another-secret' }, 'main')).toBe(401);
  expect(await sendPush(webhook, 'another-branch')).toBe(202);
  expect(await sendPush(webhook, 'main')).toBe(202);
  await until(async () => (await succeededDeployments(all)) >= 6, {
    within: 300_000,
    describe: () => `some deployments to succeed; the service wrote:\n${all.service.process.output.slice(-4_000)}`,
  });
  await all.restartService();
  expect(await ended(all, id, first)).toMatchObject({ status: 'applied', error: null });
  const before = await expectEachOnce(all);
  // One look for three webhooks: where the branch is, and one fetch.
  expect(forge.requests.length - requests).toBeLessThanOrEqual(3);
  expect(await reported(first, 'success')).toMatchObject({ context: 'hortus/home', token: `token ${token}` });
  expect(statusesOf(first)[0]?.state).toBe('pending');
  expect((await eventsOf(all, 'garden.commit.applied')).map(({ data }) => data.sha)).toContain(first);

  // A file that cannot be planned: nothing is touched, and everybody hears why.
  const wrong = thirtyLeaves({ 'leaf-01': { GREETING: 'Changed' } }).replace('"species": "leaf"', '"species": "weed"');
  const broken = await repository.commit({ 'garden.yaml': wrong }, 'Plant a weed');
  expect(await sendPush(webhook, 'main')).toBe(202);
  expect(await ended(all, id, broken)).toMatchObject({ status: 'broken', error: expect.stringContaining('weed') });
  expect(await expectEachOnce(all)).toEqual(before);
  const [event] = (await eventsOf(all, 'garden.commit.broken')).filter(({ data }) => data.sha === broken);
  expect(event?.data).toMatchObject({ error: expect.stringContaining('weed') });
  expect((await reported(broken, 'failure')).description).toContain('weed');

  // A file whose deployment fails: the old containers keep running, and the definition keeps its revision.
  const unhealthy = thirtyLeaves({ 'leaf-00': { HEALTH_PATH: '/nothing-here' } });
  const failing = await repository.commit({ 'garden.yaml': unhealthy }, 'Break a health check');
  expect(await sendPush(webhook, 'main')).toBe(202);
  expect(await ended(all, id, failing)).toMatchObject({ status: 'failed', error: expect.stringContaining('leaf-00') });
  expect((await reported(failing, 'failure')).description).toContain('leaf-00');
  expect(await containersByUid(all)).toEqual(before);
  expect(await allDeployments(all)).toHaveLength(NUMBER + 1);
  const drift = all.hortus('gardens', 'drift', 'home');
  expect((await drift.exited).code, drift.output).toBe(0);
});
