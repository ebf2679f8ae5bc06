import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '@hortus/contract/resources/registries';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';

let service: ScriptedService;
let home: TemporaryFolder;
const kept: Registry = {
  id: records.recordId('reg', 1),
  host: 'ghcr.io',
  username: 'gardener',
  created_by: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('registries.list', []);
  for (const name of ['registries.create', 'registries.update', 'registries.delete'] as const) {
    service.on(name, () => ({ success: true, data: kept }));
  }
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const run = (argv: string[], input = '') =>
  hortusHere(home.path, ['registries', ...argv], { env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' }, input });

test('an empty list shows how to add a registry', async () => {
  expect((await run(['list'])).stdout).toContain('hortus registries add');
  service.list('registries.list', [kept]);
  expect((await run(['list'])).stdout).toContain('ghcr.io  gardener');
  expect(JSON.parse((await run(['list', '--json'])).stdout)).toEqual([kept]);
});

test('a password is read from a pipe or a file, never an argument, and replaces the stored one', async () => {
  const added = await run(['add', 'ghcr.io', 'gardener'], 'a token\n');
  expect(added).toMatchObject({ code: 0, stdout: 'The password of gardener for ghcr.io is stored.\n' });
  expect(service.asked.at(-1)).toMatchObject({
    name: 'registries.create',
    body: { host: 'ghcr.io', username: 'gardener', password: 'a token' },
  });
  service.list('registries.list', [kept]);
  const file = join(home.path, 'token.txt');
  writeFileSync(file, 'another\n');
  await run(['add', 'GHCR.io', 'florist', '--password-file', file]);
  expect(service.asked.at(-1)).toMatchObject({
    name: 'registries.update',
    params: { id: kept.id },
    body: { username: 'florist', password: 'another' },
  });
  expect(await run(['add', 'ghcr.io', 'gardener'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No password'),
  });
});

test('remove requires a confirmation, and exits with 4 for an unknown host', async () => {
  expect(await run(['remove', 'ghcr.io', '--yes'])).toMatchObject({ code: 4 });
  service.list('registries.list', [kept]);
  expect(await run(['remove', 'ghcr.io'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  const removed = await run(['remove', 'ghcr.io', '--yes']);
  expect(removed).toMatchObject({ code: 0, stdout: 'The password for ghcr.io was removed.\n' });
  expect(service.asked.at(-1)).toMatchObject({ name: 'registries.delete', params: { id: kept.id } });
});
