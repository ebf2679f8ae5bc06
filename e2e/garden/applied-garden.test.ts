import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import {
  allDeployments,
  containersByUid,
  expectEachOnce,
  NUMBER,
  succeededDeployments,
  thirtyLeaves,
} from './thirty-leaves.ts';
import { openThreeServers, type ThreeServers } from './three-servers.ts';

function writeGarden({ folder }: ThreeServers, inputs?: Parameters<typeof thirtyLeaves>[0]): string {
  const file = join(folder, 'garden.yaml');
  writeFileSync(file, thirtyLeaves(inputs));
  return file;
}

test('thirty definitions on three servers are applied exactly once although client and service are killed', {
  timeout: 900_000,
}, async () => {
  await using all = await openThreeServers();
  const file = writeGarden(all);
  const apply = ['apply', '-f', file, '--yes', '--wait'] as const;
  const killed = all.hortus(...apply);
  await until(async () => (await succeededDeployments(all)) >= 6, {
    within: 300_000,
    describe: () => `some deployments to succeed; the client wrote:\n${killed.output}`,
  });
  await killed.kill('SIGKILL');
  await all.restartService();

  const again = all.hortus(...apply);
  const { code } = await again.exited;
  expect(code, again.output).toBe(0);
  const before = await expectEachOnce(all);

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
