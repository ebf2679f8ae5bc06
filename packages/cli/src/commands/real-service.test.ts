import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hortus/client/client';
import { freePort } from '@hortus/testkit/port';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hortus } from '../testing/hortus.ts';
import { type RealService, startRealService } from '../testing/real-service.ts';

/** Runs the real service and the real CLI, each in its own process. */
let home: TemporaryFolder;
let service: RealService;
let address: string;
let key: string;

beforeAll(async () => {
  home = temporaryFolder('cli');
  service = await startRealService();
  ({ address, key } = service);
  const { code, stderr } = await hortus(home.path, ['login', '--url', address], { input: `${key}\n` });
  expect(stderr).toBe('');
  expect(code).toBe(0);
}, 200_000);
afterAll(async () => {
  await service?.stop();
  await home?.remove();
});

const run = (...argv: string[]) => hortus(home.path, argv);

test('login stores the key readable only by its owner, and config never shows it', async () => {
  const file = join(home.path, '.config/hortus/config.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { stdout } = await run('config');
  expect(stdout).toContain(`${address}/api/v1 (from the context)`);
  expect(stdout).toContain('set (from the context)');
  expect(stdout).toMatch(/HORTUS_MODE +live\n/);
  expect(stdout).toMatch(/HORTUS_ADMIN_KEY +\(set, not shown\)\n/);
  const anonymous = await hortus(home.path, ['config'], { env: { HORTUS_URL: 'http://127.0.0.1:9', HORTUS_KEY: '' } });
  expect(anonymous.stdout).toContain('The settings of the service are not shown: you are not signed in.');
  for (const argv of [['config'], ['config', '--json'], ['doctor'], ['doctor', '--json']]) {
    const { stdout: shown, stderr } = await run(...argv);
    expect(shown + stderr).not.toContain(key);
  }
});

test('the catalog is listed, filtered and shown', async () => {
  const all = await run('catalog', 'list');
  expect(all.stdout).toMatch(/^Species +Family +Version +Description\n/);
  expect(all.stdout).toContain('miniflux');
  const { stdout } = await run('catalog', 'list', '--family', 'database', '--json');
  const families = (JSON.parse(stdout) as { family: string }[]).map(({ family }) => family);
  expect(new Set(families)).toEqual(new Set(['database']));
  const shown = await run('catalog', 'show', 'miniflux');
  expect(shown.stdout).toMatch(/WEB_HOSTNAME +domain +required +Address of the reader/);
  expect(shown.stdout).toMatch(/db-dump +Writes users/);
  expect(await run('catalog', 'show', 'frob')).toMatchObject({ code: 4, stdout: '' });
});

test('servers are registered, listed by name and shown', async () => {
  const { stdout } = await run('servers', 'register', 'web-1', '--environment', 'staging', '--json');
  const server = JSON.parse(stdout) as { id: string; api_key: string };
  expect(server.api_key).toMatch(/^hs_live_/);
  const list = await run('servers');
  expect(list.stdout).toMatch(new RegExp(`web-1 +pending +yes +staging +never +${server.id}`));
  expect(list.stdout).not.toContain(server.api_key);
  expect((await run('servers', 'show', 'web-1')).stdout).toContain(server.id);
  expect(await run('servers', 'register', 'web-2', '--environment', 'moon')).toMatchObject({ code: 2 });
});

test('deploy creates a definition and a deployment that waits for the server', async () => {
  await run('servers', 'register', 'web-2');
  const argv = [
    'deploy',
    'static-site',
    '--server',
    'web-2',
    '--name',
    'landing',
    '--set',
    'WEB_HOSTNAME=l.example.org',
  ];
  const { code, stdout, stderr } = await run(...argv, '--json');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'pending', revision: 1 });
  const again = await run('deploy', '--definition', 'landing', '--set', 'PAGE_TITLE=Soon', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ status: 'pending', revision: 2 });
  const list = await run('deployments', 'list', '--definition', 'landing');
  expect(list.stdout).toMatch(/landing +web-2 +2 +pending/);
  expect(await run('deploy', '--definition', 'landing', '--timeout', '1s')).toMatchObject({ code: 8 });
});

test('doctor passes on a healthy system and names problems', async () => {
  const well = await run('doctor');
  expect(well.stdout).toMatch(/ok +service +Hortus \d/);
  expect(well.stdout).toMatch(/ok +clock/);
  expect(well.stdout).toMatch(/ok +key/);
  expect(well.stdout).toMatch(/ok +hosts +No application shares the host name of the console/);
  expect(well.code).toBe(0);
  const client = createClient({ baseUrl: `${address}/api/v1`, key });
  const { data: server } = await client.call('servers.register', {
    body: { name: 'crowded', environment: 'staging' },
  });
  const report = async (free: number) => {
    const networks = { pool: ['10.254.0.0/16'], total: 4_096, used: 4_096 - free, free };
    const room = { memory: { used: 0, free: 1 }, cpu: { cores: 1, used_percent: 0 }, disk: { used: 0, free: 1 } };
    await client.call('capacity.report', { params: { server_id: server.id }, body: { ...room, networks } });
  };
  await report(4_000);
  expect((await run('doctor')).stdout).toMatch(
    /ok +networks +Networks on crowded: 4000 free of 4096 in 10.254.0.0\/16/,
  );
  expect((await run('servers', 'show', 'crowded')).stdout).toMatch(/Networks +4000 free of 4096/);
  await report(0);
  const full = await run('doctor');
  expect(full.stdout).toMatch(/problem +networks +Networks on crowded: 0 free .*HORTUS_NETWORK_POOL/);
  expect(full.code).toBe(1);
  await client.call('servers.delete', { params: { id: server.id } });
  const bad = await hortus(home.path, ['doctor', '--json'], { env: { HORTUS_KEY: `hk_live_${'x'.repeat(43)}` } });
  const findings = JSON.parse(bad.stdout) as { check: string; state: string }[];
  expect(findings.find(({ check }) => check === 'key')?.state).toBe('problem');
  expect(bad.code).toBe(1);
  const file = join(home.path, '.config/hortus/config.json');
  await chmod(file, 0o644);
  expect((await run('doctor')).stdout).toContain('Others can read the keys');
  await chmod(file, 0o600);
});

test('exit codes identify the kind of failure', async () => {
  await using outsider = temporaryFolder('cli');
  const listing = (env: Record<string, string>) => hortus(outsider.path, ['catalog', 'list'], { env });
  expect(await listing({ HORTUS_URL: address })).toMatchObject({ code: 3, stdout: '' });
  expect(await listing({ HORTUS_URL: address, HORTUS_KEY: 'hk_live_wrong' })).toMatchObject({ code: 3 });
  const unused = `http://127.0.0.1:${await freePort()}`;
  const silent = await listing({ HORTUS_URL: unused, HORTUS_KEY: key });
  expect(silent).toMatchObject({ code: 5, stderr: expect.stringContaining('does not answer: nothing listens there.') });
  expect((await hortus(outsider.path, ['login', '--url', address], { input: 'two words\n' })).code).toBe(2);
  expect((await hortus(outsider.path, ['logout'])).code).toBe(4);
});

test('one of several contexts is current', async () => {
  await hortus(home.path, ['login', '--url', address, '--context', 'second'], { input: key });
  expect((await run('config', '--json')).stdout).toContain('"context": "second"');
  expect((await run('config', 'use', 'default')).code).toBe(0);
  expect(await run('logout', '--context', 'second')).toMatchObject({ code: 0 });
  expect(await run('servers', '--context', 'second')).toMatchObject({ code: 4 });
  expect((await run('servers')).code).toBe(0);
});
