import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { Refusal, type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';

let service: ScriptedService;
let home: TemporaryFolder;
const template = records.template();
const canonical = { ...template.spec.canonical, backup: { strategy: 'none' }, components: {} };

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('servers.list', [records.server()]);
  service.on('templates.read', () => ({ success: true, data: { ...template, spec: { ...template.spec, canonical } } }));
  service.list('templates.versions', []);
  service.on('definitions.create', () => ({ success: true, data: records.definition() }));
  service.on('deployments.execute', () => ({ success: true, data: records.deployment() }));
  service.on('deployments.read', () => ({
    success: true,
    data: {
      ...records.deployment({ status: 'failed', error: 'The image has no such tag.' }),
      logs: [],
      logs_truncated: false,
      last_lines: [],
    },
  }));
  service.list('backups.list', []);
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const verify = (...argv: string[]) =>
  hortusHere(home.path, ['template', 'verify', 'reader', ...argv], {
    env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' },
  });
const failed = { name: 'deploy', error: 'The deployment failed: The image has no such tag.' };

test('a removal that fails does not hide the step that failed before', async () => {
  service.on('definitions.archive', () => {
    throw new Refusal('VALIDATION_ERROR', 'A backup of it is running.', { field: 'id' });
  });
  const { code, stdout, stderr } = await verify();
  expect(code).not.toBe(0);
  expect(stdout).toContain(failed.error);
  expect(stderr).toMatch(/✗ removal of verify-reader-\w+: A backup of it is running\./);
  expect(stderr).toMatch(/left on web-1: hortus instances release verify-reader-\w+/);
  const { stdout: json } = await verify('--json');
  expect(JSON.parse(json)).toMatchObject({
    passed: false,
    steps: [failed],
    removal_error: 'A backup of it is running.',
  });
});

test('a failed run that was removed reports no removal', async () => {
  service.on('definitions.archive', () => ({ success: true, data: records.definition({ status: 'archived' }) }));
  const { code, stdout } = await verify('--json');
  expect(code).not.toBe(0);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ passed: false, steps: [failed] });
  expect(result).not.toHaveProperty('removal_error');
});

test('--keep removes nothing', async () => {
  const { stderr } = await verify('--keep');
  expect(stderr).toMatch(/verify-reader-\w+ was kept on web-1\./);
  expect(service.asked.map(({ name }) => name)).not.toContain('definitions.archive');
});
