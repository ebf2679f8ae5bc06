import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { Refusal, type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';

let service: ScriptedService;
let home: TemporaryFolder;

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('servers.list', [records.server()]);
  service.list('instances.list', [records.instance()]);
  service.list('definitions.list', [records.definition()]);
  service.list('deployments.list', [records.deployment({ status: 'success' })]);
  service.list('backups.list', []);
  service.list('upgrades.list', []);
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const run = (...argv: string[]) =>
  hortusHere(home.path, argv, { env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' } });

test('status says that all is well and exits with 0', async () => {
  expect(await run('status')).toEqual({
    code: 0,
    stdout: 'All is well: 1 of 1 server online, 1 of 1 instance running.\n',
    stderr: '',
  });
});

test('status exits with 1 and prints the command for each problem', async () => {
  service.list('servers.list', [records.server({ status: 'offline' })]);
  service.list('instances.list', [records.instance({ health: 'unhealthy' })]);
  const { code, stdout } = await run('status');
  expect(code).toBe(1);
  expect(stdout.split('\n')).toMatchObject([
    expect.stringMatching(/^problem {2}web-1: Offline, last seen /),
    '         ssh web-1 systemctl status hortusd',
    'problem  feeds: Its health check fails.',
    '         hortus logs feeds',
    '2 problems: 0 of 1 server online, 1 of 1 instance running.',
    '',
  ]);
  const { well, findings } = JSON.parse((await run('status', '--json')).stdout);
  expect(well).toBe(false);
  expect(findings[1]).toMatchObject({ state: 'problem', kind: 'instance', id: records.ids.instance, name: 'feeds' });
});

test('status fits on a screen and counts the rest', async () => {
  const many = Array.from({ length: 40 }, (_, n) =>
    records.instance({ id: records.recordId('ins', n), instance_uid: `app-${n}`, status: 'failed', health: 'unknown' }),
  );
  service.list('instances.list', many);
  const { stdout } = await run('status');
  expect(stdout.split('\n').length).toBeLessThan(30);
  expect(stdout).toContain('… and 28 more; --json lists all of them.');
});

test('status says what a key may not see instead of calling it well', async () => {
  service.on('backups.list', () => {
    throw new Refusal('FORBIDDEN', 'This needs the permission backups:read.');
  });
  const { code, stderr } = await run('status');
  expect(code).toBe(0);
  expect(stderr).toContain('Not checked');
});

test('instances show ends with what to do', async () => {
  service.on('instances.read', () => ({ success: true, data: records.instance() }));
  service.on('servers.read', () => ({ success: true, data: records.server() }) as never);
  service.on('definitions.read', () => ({ success: true, data: records.definition() }) as never);
  service.on('metrics.instance', () => ({ success: true, data: records.instanceMetrics() }));
  expect((await run('instances', 'show', 'feeds')).stdout).toMatch(/\n\nAll is well\.\n$/);
  service.list('instances.list', [records.instance({ health: 'unhealthy' })]);
  expect((await run('instances', 'show', 'feeds')).stdout).toMatch(
    /\n\nproblem {2}feeds: Its health check fails\.\n {9}hortus logs feeds\n$/,
  );
});
