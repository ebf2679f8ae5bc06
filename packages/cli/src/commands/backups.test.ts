import type { Execution } from '@hortus/contract/resources/actions';
import type { Backup, RestorePlan } from '@hortus/contract/resources/backups';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';

let service: ScriptedService;
let home: TemporaryFolder;
const instance = records.instance();
const execution = records.execution({ slug: 'hortus.backup', name: 'Back up' });
const backup: Backup = {
  id: records.recordId('bkp', 1),
  instance_id: instance.id,
  definition_id: instance.definition_id,
  server_id: instance.server_id,
  instance_uid: instance.instance_uid,
  kind: 'manual',
  status: 'completed',
  execution_id: execution.id,
  species: 'miniflux',
  template_version: '1.0.0',
  spec_hash: null,
  revision: 1,
  images: [],
  parts: [],
  bytes: 5_000_000,
  stored_bytes: 1_200_000,
  stopped_ms: 0,
  address: '/var/lib/hortusd/backups',
  manifest_sha256: null,
  error: null,
  last_verified: null,
  proof: null,
  verify_error: null,
  created_by: null,
  created_at: '2026-01-01T00:00:00.000Z',
  finished_at: null,
};

const plan: RestorePlan = {
  backup_id: backup.id,
  instance_id: instance.id,
  instance_uid: instance.instance_uid,
  into: 'empty',
  reason: null,
  stops: ['app', 'db'],
  starts_first: ['db'],
  replaces: [],
  empties: ['dbdata'],
  keeps: [],
  warnings: ['Update the daemon first.'],
  summary: 'Everything stops (app, db). Only db starts and reads the dump.',
};

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('instances.list', [instance]);
  service.list('backups.list', []);
  service.on('backups.read', () => ({ success: true, data: backup }));
  const ordered = () => ({ success: true as const, execution, backup, data: backup });
  for (const name of ['backups.create', 'backups.verify', 'backups.restore'] as const) service.on(name, ordered);
  service.on('backups.planRestore', () => ({ success: true, data: plan }));
  service.on('backups.delete', () => ({ success: true, data: { ...backup, status: 'deleting' } }));
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const run = (...argv: string[]) =>
  hortusHere(home.path, ['backups', ...argv], { env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' } });
const ends = (end: Partial<Execution>) => {
  const data = { ...execution, ...end };
  service.on('actions.read', () => ({ success: true, execution: data, data }));
};

test('list shows size and verification; an empty list shows how to create one', async () => {
  expect((await run('list')).stdout).toContain('hortus backups create');
  service.list('backups.list', [backup, { ...backup, verify_error: 'chunk 2 is damaged' }]);
  const { stdout } = await run('list', instance.instance_uid);
  expect(stdout).toMatch(/1\.2 MB\s+never/);
  expect(stdout).toContain('failed: chunk 2 is damaged');
  expect(service.asked.at(-1)).toMatchObject({ query: { definition_id: instance.definition_id } });
  expect(JSON.parse((await run('list', '--json')).stdout)).toHaveLength(2);
});

test('create with --wait returns after the backup', async () => {
  expect((await run('create', instance.instance_uid)).stdout).toContain(`hortus actions show ${execution.id}`);
  ends({ status: 'completed' });
  const done = await run('create', instance.instance_uid, '--wait');
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`backed up as ${backup.id}, 1.2 MB`) });
  expect(service.asked.find(({ name }) => name === 'backups.create')?.params).toEqual({ id: instance.id });
});

test('verify prints the problem and exits with 1', async () => {
  ends({ status: 'failed', error: 'The backup of volume data cannot be used: chunk 2 is damaged.' });
  const failed = await run('verify', backup.id, '--wait');
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain('volume data cannot be used: chunk 2 is damaged');
});

test('restore and delete require a confirmation', async () => {
  const refused = await run('restore', backup.id);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(refused.stderr).toContain(plan.summary);
  expect(refused.stderr).toContain('Update the daemon first.');
  ends({ status: 'completed' });
  const restored = await run('restore', backup.id, '--yes', '--wait');
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('was restored to the backup') });
  const order = service.asked.find(({ name }) => name === 'backups.restore');
  expect(order?.body).toEqual({ confirm: instance.instance_uid });
  expect(await run('restore', backup.id, '--into', 'elsewhere')).toMatchObject({ code: 2 });
  await run('restore', backup.id, '--into', 'running', '--yes');
  expect(service.asked.findLast(({ name }) => name === 'backups.planRestore')?.query).toEqual({ into: 'running' });
  expect(service.asked.findLast(({ name }) => name === 'backups.restore')?.body).toEqual({
    confirm: instance.instance_uid,
    into: 'running',
  });
  expect(await run('delete', backup.id)).toMatchObject({ code: 2 });
  expect((await run('delete', backup.id, '--yes')).stdout).toBe(`${backup.id} is being deleted.\n`);
});
