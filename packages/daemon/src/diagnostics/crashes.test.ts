import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonError } from '@hortus/contract/resources/diagnostics';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { daemonMain, killedDaemonMain } from '@hortus/testkit/programs';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { FakeService } from '../testing/fake-service.ts';
import { id, Signer } from '../testing/signing.ts';
import type { Examination } from './examine.ts';

const SECRET = 'hunter2hunter2';
const KEY = `hs_test_${SECRET}`;
const signer = new Signer();
let server: TestServer;
let serverId: string;
let service: FakeService;
let folder: TemporaryFolder;
let processes: RunningProcess[];

beforeAll(async () => {
  server = await TestServer.open();
  serverId = id('srv', randomInt(1e9));
});
afterAll(() => server.close());
beforeEach(async () => {
  service = await FakeService.listen();
  service.greeting = { server_id: serverId, capabilities: ['ack', 'wake'] };
  service.sign = (message) => signer.order(message, serverId);
  service.signFor = (manifest, nonce) => signer.signFor(manifest, nonce);
  folder = temporaryFolder('crashes');
  processes = [];
});
afterEach(async () => {
  for (const process of processes) await process.stop();
  await service.close();
  await folder.remove();
});

/** The path has the form of a key, because errors of the file system contain it. */
const state = () => join(folder.path, `hk_live_${SECRET}`);

function start(main: string, args: string[], env: Record<string, string> = {}): RunningProcess {
  const started = startProcess([process.execPath, main, ...args], {
    env: {
      HORTUSD_URL: service.url,
      HORTUSD_KEY: KEY,
      HORTUSD_SERVER_ID: serverId,
      HORTUSD_PUBLIC_KEY: signer.publicKey,
      HORTUSD_STATE_DIR: state(),
      HORTUSD_DOCKER_SOCKET: server.socketPath,
      HORTUSD_CADDY: 'off',
      ...env,
    },
  });
  processes.push(started);
  return started;
}

const throwing = (moment: string) =>
  start(killedDaemonMain, ['run'], { HORTUS_TEST_THROW_AT: moment, HORTUS_TEST_SECRET: SECRET });

/** Runs `hortusd doctor` while the other process may still run. */
async function doctor(...args: string[]) {
  const run = start(daemonMain, ['doctor', ...args]);
  const { code } = await run.exited;
  expect(run.output).not.toContain(SECRET);
  return { code, out: run.stdout };
}
const examined = async () => JSON.parse((await doctor('--json')).out) as Examination;

/** Waits for a log line of this text. */
const logged = (daemon: RunningProcess, msg: string) =>
  until(
    () =>
      daemon.stderr
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .find((line) => line.msg === msg),
    { describe: () => `${msg}\n${daemon.output}` },
  );

const reportedErrors = () =>
  service.callsTo('PUT', `/servers/${serverId}/diagnostics`).flatMap(({ body }) => body.errors as DaemonError[]);

const whole = {
  type: 'Error',
  message: 'GET https://me:[removed]@registry.example.org failed for [removed]',
  stack: expect.stringMatching(/^Error: GET [^\n]*\n +at .*killed-main/),
  cause: {
    type: 'TypeError',
    message: 'Authorization: Bearer [removed]',
    stack: expect.stringMatching(/^TypeError: .*\n +at .*killed-main/),
  },
};

it('an error of a listener is in the journal and in doctor with its stack, and reported to the service', async () => {
  const daemon = throwing('a listener');
  expect(await logged(daemon, 'a listener failed')).toMatchObject({ level: 'error', err: whole });
  const [error] = await until(() => reportedErrors().length > 0 && reportedErrors(), { describe: 'a report' });
  expect(error).toMatchObject({ level: 'error', message: 'a listener failed', count: 1 });
  expect(error?.detail).toMatch(
    /^Error: GET .*\n +at .*\nCaused by: TypeError: Authorization: Bearer \[removed\]\n +at /s,
  );
  const found = await examined();
  expect(found).toMatchObject({ process: daemon.pid, errors: [error], engine: { engine: 'docker' }, problems: [] });
  expect(JSON.stringify([daemon.output, service.calls.map(({ body }) => body)])).not.toContain(SECRET);
});

it('a crash is logged, ends the process with 70, is kept, and is reported by the next daemon', async () => {
  service.down = true;
  const crashed = throwing('nowhere guarded');
  expect((await crashed.exited).code).toBe(70);
  expect(await logged(crashed, 'the daemon crashed')).toMatchObject({ level: 'fatal', err: whole });
  const { code, out } = await doctor();
  expect(code).toBe(1);
  expect(out).toMatch(/Daemon +not running/);
  expect(out).toMatch(/ fatal: the daemon crashed\n +Error: GET .*\n +at .*killed-main/);
  service.down = false;
  start(daemonMain, ['run']);
  const [error] = await until(() => reportedErrors().length > 0 && reportedErrors(), { describe: 'a report' });
  expect(error).toMatchObject({ level: 'fatal', message: 'the daemon crashed' });
  expect(crashed.output).not.toContain(SECRET);
});

it('a crash at the start is logged with its stack and ends the process with 70', async () => {
  mkdirSync(join(state(), 'hortusd.pid'), { recursive: true });
  const crashed = start(daemonMain, ['run']);
  expect((await crashed.exited).code).toBe(70);
  expect(await logged(crashed, 'the daemon crashed at its start')).toMatchObject({
    level: 'fatal',
    err: {
      message: expect.stringContaining('/hk_live_[removed]/hortusd.pid'),
      stack: expect.stringMatching(/at .*takeStateDirectory/),
    },
  });
  expect((await doctor()).out).toMatch(/fatal: the daemon crashed at its start\n +Error: EISDIR.*\n +at /);
  expect(crashed.output).not.toContain(SECRET);
});

it('wrong settings are one line and exit code 2, and are not kept as an error', async () => {
  const refused = start(daemonMain, ['run'], { HORTUSD_LOG_LEVEL: 'loud' });
  expect((await refused.exited).code).toBe(2);
  expect(refused.output).toBe('hortusd: --log-level must be one of debug, info, warn, error.\n');
  expect((await examined()).errors).toEqual([]);
});

it('a defect in a rollout fails the deployment and is logged and kept with its stack', async () => {
  const daemon = throwing('before pull');
  const deployment_id = id('dep', 1);
  const plain = manifest('blog', [component('main', { image, env: { PASSWORD: SECRET } })], {
    instance: { uid: 'blog', name: 'blog', server_id: serverId },
  });
  service.manifests.set(deployment_id, signer.sign(plain, { deployment_id, server_id: serverId }));
  service.pending.push({
    id: deployment_id,
    definition_id: id('def'),
    revision: 1,
    cancelling: false,
    status: 'pending',
  });
  const line = await logged(daemon, 'a rollout failed unexpectedly');
  expect(line).toMatchObject({ level: 'error', deployment: deployment_id });
  expect(JSON.stringify(line.err)).toMatch(/at .*killed-main/);
  const [error] = (await examined()).errors;
  expect(error).toMatchObject({ message: 'a rollout failed unexpectedly', fields: { deployment: deployment_id } });
  expect(error?.detail).toMatch(/killed-main.*Caused by: TypeError: Authorization: Bearer \[removed\]/s);
  expect(daemon.output).not.toContain(SECRET);
});
