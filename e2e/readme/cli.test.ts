import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Machine, makeNginxImage, openMachine, root, shownKey } from './started.ts';

/** Runs the CLI from a checkout, on a machine where npm start runs. */
let machine: Machine;
beforeAll(async () => {
  machine = await openMachine();
  await makeNginxImage(machine.socketPath);
  const key = shownKey(await machine.start());
  await machine.online(key);
  expect(await hortus(['login', '--url', machine.url], key)).toMatchObject({ code: 0 });
}, 180_000);
afterAll(async () => await machine?.[Symbol.asyncDispose]());

async function hortus(argv: readonly string[], input = '') {
  const { HORTUS_URL: _, HORTUS_KEY: __, ...env } = process.env;
  const child = spawn('npx', ['--no', 'hortus', ...argv], {
    cwd: root,
    env: {
      ...env,
      HOME: machine.folder.path,
      DOCKER_HOST: `unix://${machine.socketPath}`,
      npm_config_loglevel: 'silent',
    },
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

test('a first session from login to an action works', { timeout: 240_000 }, async () => {
  const servers = await hortus(['servers', 'list']);
  expect(servers.stdout).toMatch(new RegExp(`^${hostname()} +online +yes +production .* ${machine.serverId()}$`, 'm'));

  const set = ['--set', 'WEB_HOSTNAME=cli.example.org', '--set', "PAGE_TITLE=It's $HOME"];
  const deployed = await hortus([
    'deploy',
    'static-site',
    '--name',
    'cli-page',
    '--server',
    hostname(),
    ...set,
    '--wait',
  ]);
  expect(deployed, deployed.stderr).toMatchObject({
    code: 0,
    stderr: `Creates cli-page: static-site on ${hostname()}.\n`,
  });
  expect(deployed.stdout).toMatch(/ wait_healthy {2}main is healthy/);
  expect(deployed.stdout).toMatch(/^cli-page is healthy on revision 1, after .*\nhttps:\/\/cli\.example\.org:\d+\n$/m);

  const instances = await hortus(['instances']);
  expect(instances.stdout).toMatch(/^cli-page +static-site +\S+ +running +healthy /m);
  const known = await hortus(['instances', '--json']);
  expect(JSON.parse(known.stdout)).toMatchObject([{ name: 'cli-page', status: 'running', health: 'healthy' }]);

  const actions = await hortus(['actions', 'list', 'cli-page']);
  expect(actions.stdout).toMatch(/^test-config +30s /m);
  expect(await hortus(['actions', 'run', 'cli-page', 'test-config', '--wait'])).toMatchObject({
    code: 0,
    stdout: 'nginx: configuration file /etc/nginx/nginx.conf test is successful\n',
  });
  expect(await hortus(['actions', 'run', 'cli-page', 'frob'])).toMatchObject({
    code: 4,
    stderr: 'cli-page has no action frob.\nAvailable: test-config.\n',
  });

  expect(await hortus(['logs', 'cli-page'])).toMatchObject({ code: 0, stderr: '' });
  const log = await hortus(['logs', '-f', '--deployment', 'cli-page']);
  expect(log.code).toBe(0);
  const columns = log.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(0, 24).length === 24 && line[23] === ' ' && line[24] !== ' ');
  expect(columns.every(Boolean), log.stdout).toBe(true);

  const doctor = await hortus(['doctor']);
  expect(doctor, doctor.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining('No problems found.\n') });
  expect(doctor.stdout).toMatch(/^ok +servers +1 server online\.$/m);
  expect(doctor.stdout).toMatch(/^ok +docker +Docker .* answers on /m);
});

test('incomplete commands name the missing argument', async () => {
  expect(await hortus(['deploy', 'pocketbase'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--set ADMIN_EMAIL=value'),
  });
  expect(await hortus(['logs'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Which instance? Give its name, or --deployment.'),
  });
});
