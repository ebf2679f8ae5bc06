import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Manifest } from '@hortus/contract/template/manifest';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { daemonMain } from '@hortus/testkit/programs';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { component, manifest } from './plan/testing/manifests.ts';
import { image, TestServer } from './rollout/testing/server.ts';
import { action, request } from './testing/actions.ts';
import { FakeService, type Message } from './testing/fake-service.ts';
import { id, Signer } from './testing/signing.ts';

/** The real program in its own process, with a real engine and a scripted service. */
let server: TestServer;
let serverId: string;
let service: FakeService;
let folder: TemporaryFolder;
let daemon: RunningProcess;
const signer = new Signer();
let deployments = 0;

beforeAll(async () => {
  server = await TestServer.open();
  serverId = id('srv', randomInt(1e9));
});
afterAll(async () => {
  for (const { id } of await server.engine.containers({ labels: { 'hortus.server': serverId } })) {
    await server.engine.remove(id, { force: true });
  }
  const left = { labels: { 'hortus.server': serverId } };
  for (const { name } of await server.engine.networks(left)) await server.engine.removeNetwork(name);
  await server.close();
});
beforeEach(async () => {
  service = await FakeService.listen();
  service.greeting = { server_id: serverId, capabilities: ['ack', 'wake'], manifest_public_key: signer.publicKey };
  service.sign = (message) => signer.order(message, serverId);
  service.signFor = (manifest, nonce) => signer.signFor(manifest, nonce);
  folder = temporaryFolder('daemon');
  daemon = start();
});
afterEach(async () => {
  await daemon.stop();
  await service.close();
  await folder.remove();
});

function start(): RunningProcess {
  return startProcess([process.execPath, daemonMain, 'run', '--log-level', 'debug'], {
    env: {
      HORTUSD_URL: service.url,
      HORTUSD_KEY: 'hs_test_0123456789abcdef',
      HORTUSD_SERVER_ID: serverId,
      HORTUSD_PUBLIC_KEY: signer.publicKey,
      HORTUSD_STATE_DIR: join(folder.path, 'state'),
      HORTUSD_DOCKER_SOCKET: server.socketPath,
    },
  });
}

const connected = () => until(() => service.socket, { describe: () => `a connection\n${daemon.output}` });

function order(uid: string, overrides: Partial<Manifest> = {}, sign = signer): string {
  deployments++;
  const deployment = { id: id('dep', deployments), definition_id: id('def'), revision: 1, cancelling: false };
  const components = [component('main', { image, command: ['sleep', '100000'], init: true })];
  const plain = manifest(uid, components, { instance: { uid, name: uid, server_id: serverId }, ...overrides });
  service.manifests.set(deployment.id, sign.sign(plain, { deployment_id: deployment.id, server_id: serverId }));
  service.pending.push({ ...deployment, status: 'pending' });
  service.send({ type: 'deployment_available', deployment_id: deployment.id });
  return deployment.id;
}

const reportOf = (deployment: string) =>
  until(() => service.callsTo('POST', '/deploy/report').find(({ body }) => body.deployment_id === deployment)?.body, {
    describe: () => `the report\n${daemon.output}`,
  });

function results(execution: string): Message[] {
  const sent = service.messages.filter(
    ({ type, execution_id }) => /^action_(completed|failed)$/.test(type) && execution_id === execution,
  );
  const put = service.callsTo('PUT', `/actions/${execution}`).map(({ body }) => ({ type: 'put', ...body }));
  return [...sent, ...put];
}
const resultOf = (execution: string) =>
  until(() => results(execution)[0], { describe: () => `the result\n${daemon.output}` });

async function deploy(...actions: Manifest['actions']): Promise<string> {
  const uid = server.newUid();
  expect(await reportOf(order(uid, { actions }))).toMatchObject({ status: 'success' });
  return uid;
}

const ask = (slug: string, argv: string[], uid: string) => {
  const asked = request(slug, argv, {}, uid);
  service.send({ type: 'action_request', ...asked });
  return asked;
};
const inside = async (uid: string, ...argv: string[]) => {
  const exec = await server.engine.exec(uid, { argv });
  let text = '';
  for await (const { chunk } of exec.output) text += chunk;
  return text;
};

describe('a deployment', () => {
  it('is claimed, rolled out and reported, with its log and its container', async () => {
    await connected();
    const uid = server.newUid();
    const deployment = order(uid);
    expect(await reportOf(deployment)).toMatchObject({
      status: 'success',
      instance: { container_name: uid, status: 'running' },
    });
    const patches = service.callsTo('PATCH', `/deployments/${deployment}/status`);
    expect(patches[0]?.body).toMatchObject({ status: 'running' });
    const lines = [...patches, ...service.callsTo('POST', '/deploy/report')].flatMap(({ body }) => body.logs ?? []);
    expect(lines.length).toBeGreaterThan(2);
    await until(
      () => service.callsTo('POST', '/instances/report').some(({ body }) => JSON.stringify(body).includes(uid)),
      { describe: 'the facts of the instance' },
    );
    const capacity = () => service.callsTo('PUT', `/server-capacity/${serverId}`)[0]?.body;
    expect(await until(capacity, { describe: 'the capacity report' })).toMatchObject({
      cpu: {},
      memory: {},
      disk: {},
    });
    expect(daemon.output).not.toContain('0123456789abcdef');
  });

  it('that is forged, or that the policy forbids, is refused with a reason and leaves no container', async () => {
    await connected();
    const forged = server.newUid();
    expect(await reportOf(order(forged, {}, new Signer()))).toMatchObject({ status: 'failed', reason: 'signature' });
    const dangerous = server.newUid();
    const components = [component('main', { image, privileged: true })];
    expect(await reportOf(order(dangerous, { components }))).toMatchObject({
      status: 'failed',
      reason: 'refused',
      error: expect.stringContaining('privileged'),
    });
    expect(await server.engine.inspect(forged)).toBeUndefined();
    expect(await server.engine.inspect(dangerous)).toBeUndefined();
  });

  it('is finished after the daemon was killed and restarted, and its report is not lost', async () => {
    await connected();
    const uid = server.newUid();
    const deployment = order(uid);
    await until(() => service.callsTo('GET', '/manifest').length > 0, { describe: 'the manifest' });
    await daemon.kill('SIGKILL');
    daemon = start();
    expect(await reportOf(deployment)).toMatchObject({ status: 'success' });
    expect((await server.engine.inspect(uid))?.state).toBe('running');
  });

  it('that is cancelled stops and is reported as cancelled', async () => {
    await connected();
    const uid = server.newUid();
    const healthcheck = { test: ['false'], interval_ms: 50, timeout_ms: 1_000, start_period_ms: 100_000, retries: 3 };
    const components = [component('main', { image, command: ['sleep', '100000'], init: true, healthcheck })];
    const deployment = order(uid, { components });
    await until(
      async () => (await server.engine.containers({ labels: { 'hortus.instance': uid } }))[0]?.state === 'running',
      { describe: 'a container that will never be healthy' },
    );
    for (const pending of service.pending) pending.cancelling = true;
    service.send({ type: 'deployment_available' });
    expect(await reportOf(deployment)).toMatchObject({ status: 'failed', reason: 'cancelled' });
    expect(await server.engine.containers({ labels: { 'hortus.instance': uid } })).toEqual([]);
  });

  it('is found by polling when the service knows only the published messages', async () => {
    service.greeting = undefined;
    await connected();
    service.hangUp();
    expect(await reportOf(order(server.newUid()))).toMatchObject({ status: 'success' });
  });
});

describe('an action', () => {
  const note = ['sh', '-c', 'echo ran >> /tmp/ran; sleep 1; echo late; exit 3'];

  it('is started, completed and acknowledged over the channel', async () => {
    await connected();
    const uid = await deploy(action('echo', ['echo', 'hello']));
    const { execution_id } = ask('echo', ['echo', 'hello'], uid);
    expect(await resultOf(execution_id)).toMatchObject({ type: 'action_completed', exit_code: 0, output: 'hello\n' });
    expect(service.said('action_started')).toEqual([{ type: 'action_started', execution_id }]);
  });

  it('keeps its exit code and output if the daemon is killed while it runs, and runs once', async () => {
    await connected();
    const uid = await deploy(action('note', note));
    const asked = ask('note', note, uid);
    await until(async () => (await inside(uid, 'cat', '/tmp/ran')) === 'ran\n', { describe: 'the command' });
    await daemon.kill('SIGKILL');
    service.socket = undefined;
    daemon = start();
    await connected();
    service.send({ type: 'action_request', ...asked });
    expect(await resultOf(asked.execution_id)).toMatchObject({ exit_code: 3, output: 'late\n', outcome: 'known' });
    expect(await inside(uid, 'cat', '/tmp/ran')).toBe('ran\n');
  });

  it('that ends while the daemon is down is reported after its restart', async () => {
    await connected();
    const uid = await deploy(action('note', note));
    const asked = ask('note', note, uid);
    await until(async () => (await inside(uid, 'cat', '/tmp/ran')) === 'ran\n', { describe: 'the command' });
    await daemon.kill('SIGKILL');
    await until(async () => !(await inside(uid, 'ps')).includes('sleep 1\n'), { describe: 'the end of the command' });
    daemon = start();
    expect(await resultOf(asked.execution_id)).toMatchObject({ exit_code: 3, output: 'late\n', outcome: 'known' });
  });

  it('runs at most once and always ends, whenever the daemon is killed', async () => {
    await connected();
    const argv = ['sh', '-c', 'echo $HORTUS_EXECUTION >> /tmp/ran'];
    const uid = await deploy(action('note', argv));
    const asked: string[] = [];
    for (let round = 0; round < 5; round++) {
      const request = ask('note', argv, uid);
      asked.push(request.execution_id);
      await new Promise((resolve) => setTimeout(resolve, randomInt(120)));
      await daemon.kill('SIGKILL');
      service.socket = undefined;
      daemon = start();
      await connected();
      // The service resends unacknowledged requests, as it may to a daemon with a journal.
      service.send({ type: 'action_request', ...request });
      await resultOf(request.execution_id);
    }
    const ran = (await inside(uid, 'cat', '/tmp/ran')).trim().split('\n');
    expect(new Set(ran).size).toBe(ran.length);
    for (const execution of asked) {
      const [first] = results(execution);
      if (first?.outcome === 'known') expect(ran).toContain(execution);
    }
  }, 120_000);

  it('is reported by REST when the service does not acknowledge, and retried until REST succeeds', async () => {
    service.greeting = undefined;
    await connected();
    const uid = await deploy(action('echo', ['echo', 'hello']));
    const { execution_id } = ask('echo', ['echo', 'hello'], uid);
    service.down = true;
    await until(() => service.said('action_started').length > 0, { describe: 'the start' });
    await until(() => daemon.output.includes('could not be reported yet'), { describe: 'a failed report' });
    service.down = false;
    expect(await resultOf(execution_id)).toMatchObject({ type: 'put', status: 'completed', output: 'hello\n' });
    expect(service.said('action_completed')).toEqual([]);
  });
});

it('an order to release that is unsigned, forged, meant for another server or too old leaves the instance running', async () => {
  await connected();
  const uid = await deploy();
  const order = (more: Record<string, unknown> = {}) => {
    const { execution_id, ...asked } = request('hortus.release', [], {}, uid);
    const action = { ...asked.action, type: 'builtin' };
    return service.bound({ type: 'action_request', execution_id, ...asked, action, ...more }) as Message & {
      execution_id: string;
    };
  };
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  const unsigned = order();
  const forged = new Signer().order(order(), serverId);
  const foreign = signer.order(order(), id('srv', 1));
  const old = signer.order(order({ issued_at: hours(-48), expires_at: hours(-24) }), serverId);
  const altered = { ...signer.order(order(), serverId), params: { remove_volumes: true } };
  service.sign = (message) => message;
  for (const message of [unsigned, forged, foreign, old, altered]) {
    service.send(message);
    const result = await resultOf(message.execution_id);
    expect(result).toMatchObject({ type: 'action_failed', error: expect.stringContaining('refused the order') });
  }
  service.send({ type: 'rotate_key', api_key: 'hs_test_of_a_stranger' });
  expect(await inside(uid, 'echo', 'running')).toBe('running\n');
  // A valid order with the id of a rejected one is executed. Its replay is refused and fails nothing; sent again by the service, it
  // is answered from the journal.
  const real = signer.order(unsigned, serverId);
  service.send(real);
  const isDone = () => results(real.execution_id).some(({ type }) => type === 'action_completed');
  await until(isDone, { describe: () => `the release\n${daemon.output}` });
  const again = await deploy();
  service.send(real);
  await until(() => daemon.output.includes('received before on this connection'), { describe: 'the refusal' });
  const { connection_nonce: _, order_number: __, ...unbound } = unsigned as Message;
  service.send(signer.order(service.bound(unbound as Message), serverId));
  await until(() => results(real.execution_id).length >= 3, { describe: 'the answer from the journal' });
  expect(results(real.execution_id).map(({ type }) => type)).toEqual([
    'action_failed',
    'action_completed',
    'action_completed',
  ]);
  expect(await inside(again, 'echo', 'running')).toBe('running\n');
  expect(service.said('key_rotated')).toEqual([]);
});

it('a rotated key is stored before it is acknowledged, and used from then on', async () => {
  await connected();
  service.send({ type: 'rotate_key', api_key: 'hs_test_second' });
  await until(() => service.said('key_rotated').length > 0, { describe: 'the acknowledgement' });
  await daemon.kill('SIGKILL');
  service.auths.length = 0;
  daemon = start();
  await until(() => service.auths.length > 0, { describe: 'the next connection' });
  expect(service.auths[0]?.api_key).toBe('hs_test_second');
  await until(() => service.calls.at(-1)?.key === 'hs_test_second', { describe: 'a call with the new key' });
});

it('a daemon from source refuses an order to update itself, and ignores one that is not signed', async () => {
  await connected();
  const release = { file: 'hortusd-linux-amd64', version: '9.0.0', sha256: '0'.repeat(64), signature: 'c2lnbmVk' };
  const update = { type: 'daemon_update', path: '/implant/linux/amd64/download', size: 1, release };
  service.send(new Signer().order({ ...update, update_id: 'upd_forged' }, serverId));
  service.send({ ...update, update_id: 'upd_1' });
  await until(() => service.said('daemon_update_report').length > 0, {
    describe: () => `the report\n${daemon.output}`,
  });
  expect(service.said('daemon_update_report')).toEqual([
    expect.objectContaining({ update_id: 'upd_1', state: 'refused', reason: 'from_source' }),
  ]);
});

it('SIGTERM shuts the daemon down cleanly and leaves a running action alone', async () => {
  await connected();
  const argv = ['sh', '-c', 'echo ran > /tmp/ran; while ! test -e /tmp/go; do sleep 0.05; done; echo late'];
  const uid = await deploy(action('wait', argv));
  const asked = ask('wait', argv, uid);
  await until(async () => (await inside(uid, 'cat', '/tmp/ran')) === 'ran\n', { describe: 'the command' });
  expect(await daemon.stop({ within: 60_000 })).toEqual({ code: 0, signal: null });
  await inside(uid, 'touch', '/tmp/go');
  daemon = start();
  expect(await resultOf(asked.execution_id)).toMatchObject({ exit_code: 0, output: 'late\n' });
});
