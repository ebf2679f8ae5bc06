import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';

let service: ScriptedService;
let home: TemporaryFolder;

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('servers.list', [records.server()]);
  service.on('servers.read', () => ({ success: true, data: records.server() }));
  service.on('templates.read', () => ({ success: true, data: records.template() }));
  service.list('definitions.list', []);
  service.on('definitions.create', () => ({
    success: true,
    data: records.definition({ status: 'pending', current_revision: 1 }),
  }));
  service.on('deployments.execute', () => ({ success: true, data: records.deployment({ revision: 1 }) }));
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const env = () => ({ HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' });
const run = (...argv: string[]) => hortusHere(home.path, argv, { env: env() });
const made = (name: string) => service.asked.filter((asked) => asked.name === name).map(({ body }) => body);

const logs = [
  records.line(1, 'pull', 'Pulling docker.io/example/reader:2.2.19'),
  records.line(2, 'pull', 'Pulled 48 MB'),
  records.line(4, 'start', 'Started hortus-feeds'),
  records.line(6, 'health', 'Answers 200 on /healthz'),
];

/** Answers with a deployment that gains log lines on each read and then finishes. */
function playDeployment(end: Parameters<typeof records.detail>[0]): void {
  let reads = 0;
  service.on('deployments.read', ({ query }) => {
    reads++;
    const after = Number(query.after ?? 0);
    const known = logs.slice(0, reads === 1 ? 0 : reads === 2 ? 2 : logs.length);
    const fresh = known.filter(({ number }) => number > after);
    const started = { revision: 1, instance_id: records.ids.instance, started_at: records.moment(0) };
    const data =
      reads === 1
        ? records.detail({ revision: 1 })
        : reads === 2
          ? records.detail({ ...started, status: 'running', logs: fresh })
          : records.detail({ ...started, logs: fresh, finished_at: records.moment(6.2), ...end });
    return { success: true, data };
  });
}

const inputs = ['--set', 'WEB_HOSTNAME=feeds.example.org', '--set-file', 'ADMIN_PASSWORD=-'];

test('deploy does not ask for a domain that the service chooses', async () => {
  service.list('servers.list', [records.server({ apps_domain: 'localhost' })]);
  const argv = ['deploy', 'reader', '--name', 'feeds', '--set-file', 'ADMIN_PASSWORD=-', '--yes'];
  const { code, stderr } = await hortusHere(home.path, argv, { env: env(), input: 'correct horse\n' });
  expect(code, stderr).toBe(0);
  expect(made('definitions.create')).toMatchObject([{ inputs: { ADMIN_PASSWORD: 'correct horse' } }]);

  service.list('servers.list', [records.server({ apps_domain: null })]);
  const refused = await hortusHere(home.path, argv, { env: env(), input: 'correct horse\n' });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Missing inputs: WEB_HOSTNAME.') });
});

test('deploy deploys a species, shows its steps and prints the address', async () => {
  playDeployment({ status: 'success' });
  service.on('instances.read', () => ({ success: true, data: records.instance({ revision: 1 }) }));
  const argv = ['deploy', 'reader', '--server', 'web-1', '--name', 'feeds', ...inputs, '--wait'];
  const { code, stdout, stderr } = await hortusHere(home.path, argv, { env: env(), input: 'correct horse\n' });
  expect(stdout).toBe(
    [
      '12:00:01  pull          Pulling docker.io/example/reader:2.2.19',
      '12:00:02  pull          Pulled 48 MB',
      '12:00:04  start         Started hortus-feeds',
      '12:00:06  health        Answers 200 on /healthz',
      'feeds is healthy on revision 1, after 6.2 s.',
      'https://feeds.example.org',
      '',
    ].join('\n'),
  );
  expect(stderr).toBe('Creates feeds: reader on web-1.\n');
  expect(code).toBe(0);
  expect(made('definitions.create')).toEqual([
    {
      species: 'reader',
      instance_uid: 'feeds',
      server_id: records.ids.server,
      inputs: { WEB_HOSTNAME: 'feeds.example.org', ADMIN_PASSWORD: 'correct horse' },
    },
  ]);
});

test('a failure prints the reason, the running revision and the end of the log, and exits with 1', async () => {
  playDeployment({ status: 'failed', reason: 'unhealthy', error: 'reader did not answer within 30 s.' });
  service.on('instances.read', () => ({ success: true, data: records.instance({ revision: 3 }) }));
  service.list('definitions.list', [records.definition()]);
  const { code, stderr } = await run('deploy', '--definition', 'feeds', '--wait');
  expect(code).toBe(1);
  expect(stderr).toContain(
    'Revision 1 of feeds failed. reader did not answer within 30 s.\nRevision 3 keeps running.\n',
  );
  expect(stderr).toContain('12:00:06  health        Answers 200 on /healthz');
  expect(stderr).toContain(`hortus logs --deployment ${records.ids.deployment} shows the whole log.`);
  expect(made('definitions.update')).toEqual([]);
});

test('--json prints only the deployment with its full log', async () => {
  playDeployment({ status: 'success' });
  service.list('definitions.list', [records.definition()]);
  const { code, stdout, stderr } = await run('deploy', 'reader', '--name', 'feeds', '--wait', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ id: records.ids.deployment, status: 'success', logs });
  expect([code, stderr]).toEqual([0, '']);
});

test('an existing definition gets a new revision with the given values, byte for byte', async () => {
  service.list('definitions.list', [records.definition()]);
  service.on('definitions.update', () => ({ success: true, data: records.definition({ current_revision: 4 }) }));
  service.on('deployments.execute', () => ({ success: true, data: records.deployment() }));
  const note = join(home.path, 'note.txt');
  await writeFile(note, 'two lines\n$ # \' " \\ =\n');
  const { code, stdout, stderr } = await run(
    ...['deploy', 'reader', '--name', 'feeds', '--set-file', `NOTE=${note}`],
    ...['--set', 'MODE=mail', '--set', 'MAIL_HOST=mail.example.org', '--profile', 'production'],
  );
  expect(stderr).toBe('feeds exists on web-1. The changes become a new revision after 3.\n');
  expect(made('definitions.update')).toEqual([
    {
      profile: 'production',
      inputs: { MODE: 'mail', MAIL_HOST: 'mail.example.org', NOTE: 'two lines\n$ # \' " \\ =\n' },
    },
  ]);
  expect(stdout).toContain(`Revision 4 of feeds is queued as ${records.ids.deployment}.`);
  expect(code).toBe(0);
});

test('--pull requests the images again', async () => {
  service.list('definitions.list', [records.definition()]);
  const { code } = await run('deploy', '--definition', 'feeds', '--pull', '--yes');
  expect(code).toBe(0);
  expect(made('deployments.execute')).toEqual([{ definition_id: records.ids.definition, pull: true }]);
});

test('missing or invalid inputs are reported before anything is created', async () => {
  const missing = await run('deploy', 'reader', '--set', 'MODE=mail');
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain('Missing inputs: WEB_HOSTNAME, ADMIN_PASSWORD, MAIL_HOST.');
  const wrong = await run('deploy', 'reader', '--set', 'WEB_HOSTNAME=not a name', '--set', 'FROB=1');
  expect(wrong.stderr).toContain('FROB is not an input of this template.');
  const elsewhere = await run('deploy', 'reader', '--server', 'web-9');
  expect(elsewhere).toMatchObject({ code: 4, stderr: expect.stringContaining('There is no server web-9.') });
  expect(made('definitions.create')).toEqual([]);
});

test('an ambiguous server name is refused', async () => {
  const second = records.server({ id: records.recordId('srv', 2), environment: 'staging' });
  service.list('servers.list', [records.server(), second]);
  const { code, stderr } = await run('deploy', 'reader', '--server', 'web-1');
  expect(code).toBe(4);
  expect(stderr).toContain('web-1 matches 2 servers.');
  expect(stderr).toContain(`${second.id} (staging, online)`);
  const unsaid = await run('deploy', 'reader');
  expect(unsaid).toMatchObject({ code: 2, stderr: expect.stringContaining('Choose a server with --server.') });
});

test('a password on the command line is used, with a warning that does not repeat it', async () => {
  const { code, stderr } = await run(
    ...['deploy', 'reader', '--set', 'WEB_HOSTNAME=feeds.example.org', '--set', 'ADMIN_PASSWORD=correct horse'],
  );
  expect(code).toBe(0);
  expect(stderr).toContain('--set-file ADMIN_PASSWORD=path');
  expect(stderr).not.toContain('correct horse');
});

test('an archived definition is activated only with --yes', async () => {
  service.list('definitions.list', [records.definition({ status: 'archived' })]);
  service.on('definitions.activate', () => ({ success: true, data: records.definition() }));
  const asked = await run('deploy', '--definition', 'feeds');
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('It is archived and becomes active again.') });
  expect(made('deployments.execute')).toEqual([]);
  expect((await run('deploy', '--definition', 'feeds', '--yes')).code).toBe(0);
  expect(service.asked.map(({ name }) => name)).toContain('definitions.activate');
});

test('--timeout stops waiting and leaves the deployment running', async () => {
  service.list('definitions.list', [records.definition()]);
  service.on('deployments.read', () => ({ success: true, data: records.detail() }));
  const { code, stderr } = await run('deploy', '--definition', 'feeds', '--timeout', '1s');
  expect(code).toBe(8);
  expect(stderr).toContain(`${records.ids.deployment} has not finished yet.`);
});

test('--backup-first requests a backup', async () => {
  const argv = ['deploy', 'reader', '--server', 'web-1', '--name', 'feeds', ...inputs, '--backup-first'];
  const { code } = await hortusHere(home.path, argv, { env: env(), input: 'correct horse\n' });
  expect(code).toBe(0);
  expect(made('deployments.execute')).toEqual([{ definition_id: records.ids.definition, backup_first: true }]);
});

test('rollback restores data only after a confirmation', async () => {
  service.on('deployments.read', () => ({ success: true, data: records.detail({ status: 'success' }) }));
  service.on('definitions.read', () => ({ success: true, data: records.definition() }));
  service.on('instances.read', () => ({ success: true, data: records.instance({ revision: 2 }) }));
  const back = records.deployment({ kind: 'rollback', rollback_of: records.ids.deployment, revision: 2 });
  service.on('deployments.rollback', () => ({ success: true, data: back }));
  const rollback = (...more: string[]) => run('deployments', 'rollback', records.ids.deployment, ...more);
  expect((await rollback()).stdout).toContain('Revision 2 of feeds is queued as');
  const unsure = await rollback('--with-data');
  expect(unsure.stderr).toContain('the current data is backed up first');
  expect(unsure.code).not.toBe(0);
  expect((await rollback('--with-data', '--yes', '--wait')).stdout).toContain('feeds runs on revision');
  expect(JSON.parse((await rollback('--with-data', '--yes', '--json')).stdout)).toMatchObject({ kind: 'rollback' });
  expect(made('deployments.rollback')).toEqual([{}, { with_data: true }, { with_data: true }]);
});

test('deploy --server auto lets the service choose by labels, and says why', async () => {
  const placement = {
    ...{ server_id: records.ids.server, reason: 'web-1 is the server with the most room.', considered_total: 1 },
    considered: [{ server_id: records.ids.server, name: 'web-1', fits: true, free_memory_bytes: null, lacking: [] }],
  };
  service.on('definitions.create', () => ({
    success: true,
    data: { ...records.definition({ status: 'pending', current_revision: 1 }), placement },
  }));
  const argv = ['deploy', 'reader', '--server', 'auto', '--label', 'site=berlin', '--name', 'feeds', '--yes'];
  const { code, stderr } = await run(
    ...argv,
    '--set',
    'WEB_HOSTNAME=feeds.example.org',
    '--set',
    'ADMIN_PASSWORD=x1y2z3w4',
  );
  expect(code).toBe(0);
  expect(stderr).toContain('on a server that the service chooses');
  expect(stderr).toContain('web-1 is the server with the most room.');
  expect(made('definitions.create')).toMatchObject([
    { server_id: 'auto', placement: { labels: { site: 'berlin' } }, instance_uid: 'feeds' },
  ]);
  const misused = await run('deploy', 'reader', '--server', 'web-1', '--label', 'site=berlin');
  expect(misused.stderr).toContain('--label is only for a new definition with --server auto');
});
