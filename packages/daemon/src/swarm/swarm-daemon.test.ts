import { randomBytes } from 'node:crypto';
import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { label } from '../plan/labels.ts';
import { component } from '../plan/testing/manifests.ts';
import { action, request } from '../testing/actions.ts';
import { DaemonProcess } from '../testing/daemon-process.ts';
import { id } from '../testing/signing.ts';
import { INGRESS_PART } from './ingress-names.ts';
import { PortForwards } from './testing/gates.ts';
import { SwarmServer, web } from './testing/swarm-server.ts';

let server: SwarmServer;
beforeAll(async () => {
  server = await SwarmServer.open();
}, 180_000);
afterAll(() => server.close());

const limit = { timeout: 240_000 };
const daemonOf = (killAt?: string) =>
  DaemonProcess.start({ manager: server.swarm.nodes[0].socketPath, ...(killAt && { killAt }) });

async function ordered(
  daemon: DaemonProcess,
  type: string,
  slug: string,
  uid: string,
  command: string[] = [],
  params: Record<string, unknown> = {},
) {
  const order = request(slug, command, params, uid);
  order.action.type = type as typeof order.action.type;
  daemon.service.send({ type: 'action_request', ...order });
  return await daemon.resultOf(order.execution_id);
}

test('a daemon of a Swarm deploys, runs actions, keeps logs, reports the state and releases', limit, async () => {
  const daemon = await daemonOf();
  await daemon.connected();
  const uid = server.newUid();
  const { image } = server;
  const parts = [
    component('main', web(image, { replicas: 2 }, 'echo serving;')),
    component('side', { image, command: ['sleep', '1000'] }),
  ];
  const greet = ['sh', '-c', 'wget -q -O - http://alias-main:8080/health'];
  const deployment = daemon.order(uid, parts, {
    actions: [
      action('greet', greet, { component: 'side' }),
      action('report', greet, { component: 'side', type: 'job' }),
    ],
  });
  expect(await daemon.reportOf(deployment)).toMatchObject({
    status: 'success',
    instance: { container_name: uid, status: 'running', health: 'healthy' },
  });
  const reported = () =>
    daemon.service
      .callsTo('POST', '/instances/report')
      .flatMap(({ body }) => body.instances as { instance_uid: string; status: string; health: string }[])
      .filter(({ instance_uid }) => instance_uid === uid)
      .at(-1);
  await until(() => reported()?.status === 'running' && reported()?.health === 'healthy', {
    describe: 'the state of the instance',
  });
  expect(await ordered(daemon, 'exec', 'greet', uid, greet)).toMatchObject({
    type: 'action_completed',
    output: 'ok\n',
  });
  const job = await ordered(daemon, 'job', 'report', uid, greet);
  expect(job).toMatchObject({ type: 'action_completed', output: 'ok\n' });
  const before = (await server.running(uid)).map(({ id }) => id);
  expect(await ordered(daemon, 'builtin', builtIn.restart, uid)).toMatchObject({ type: 'action_completed' });
  const after = (await server.running(uid)).map(({ id }) => id);
  expect(after).toHaveLength(3);
  for (const id of before) expect(after).not.toContain(id);
  expect(await ordered(daemon, 'builtin', builtIn.stop, uid)).toMatchObject({ type: 'action_completed' });
  await until(() => reported()?.status === 'stopped', { describe: 'the instance to be reported as stopped' });
  expect(await ordered(daemon, 'builtin', builtIn.release, uid)).toMatchObject({ type: 'action_completed' });
  expect(await server.cluster.services({ labels: { [label.instance]: uid } })).toEqual([]);
  await daemon.close();
});

test(
  'a daemon of a Swarm serves routes on labelled nodes, warns of those it cannot ask, and removes them',
  limit,
  async () => {
    const caddy = await server.swarm.publish('caddy:2', { programs: ['caddy'] });
    await server.label('hortus.ingress=true', [0]);
    const daemon = await DaemonProcess.start({
      manager: server.swarm.nodes[0].socketPath,
      options: ['--ingress-image', caddy, '--ingress-http', '80', '--ingress-https', '443'],
    });
    await daemon.connected();
    await using forwards = await PortForwards.open(server.swarm, [0]);
    const uid = server.newUid();
    const way = { name: 'web', component: 'main', port: 8080, host: 'blog.test', path: '/', strip: false } as const;
    const routes = [{ ...way, tls: 'off', primary: true, url: 'http://blog.test' } as const];
    const deployment = daemon.order(uid, [component('main', web(server.image))], { routes });
    expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
    // The test runs the daemon outside of the network of the nodes.
    expect(JSON.stringify(daemon.service.calls.map(({ body }) => body))).toContain(
      'The ingress of node n1 does not serve the routes: port 80 of',
    );
    await until(async () => (await forwards.request(0, 'blog.test', '/health')).status === 200, {
      describe: 'the route',
    });
    expect(await ordered(daemon, 'builtin', builtIn.stop, uid)).toMatchObject({ type: 'action_completed' });
    expect(await forwards.request(0, 'blog.test', '/health')).toMatchObject({
      status: 503,
      body: 'The application at this address is not running.',
      headers: { 'retry-after': '5' },
    });
    expect(await ordered(daemon, 'builtin', builtIn.release, uid)).toMatchObject({ type: 'action_completed' });
    expect(await server.cluster.services({ labels: { [INGRESS_PART]: 'service' } })).toEqual([]);
    await daemon.close();
  },
);

test('volumes are backed up, restored and verified while the services are stopped', limit, async () => {
  const daemon = await daemonOf();
  await daemon.connected();
  const uid = server.newUid();
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
  const deployment = daemon.order(uid, [component('main', web(server.image, { storage }))], {
    backup: { strategy: 'volume', volumes: [{ name: 'data', critical: true }], dump_action: null, schedule_hint: null },
    smoke: [{ exec: { component: 'main', command: ['test', '-s', '/data/words'] } }],
  });
  expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
  await server.run(uid, 'main', 'sh', '-c', 'echo before > /data/words');
  const key = randomBytes(32).toString('base64');
  const order = (slug: string, params: Record<string, unknown>) =>
    ordered(daemon, 'builtin', slug, uid, [], { key, safety_key: key, ...params });
  const taken = await order(builtIn.backup, { backup_id: 'bkp_1' });
  expect(taken).toMatchObject({ type: 'action_completed' });
  const { manifest_sha256 } = taken.result as { manifest_sha256: string };
  await server.run(uid, 'main', 'sh', '-c', 'echo after > /data/words');
  const which = { backup_id: 'bkp_1', manifest_sha256 };
  expect(await order(builtIn.verifyBackup, which)).toMatchObject({
    type: 'action_completed',
    result: { proof: 'restored' },
  });
  expect(await server.run(uid, 'main', 'cat', '/data/words')).toBe('after\n');
  expect(await order(builtIn.restore, { ...which, safety_backup_id: 'bkp_2' })).toMatchObject({
    type: 'action_completed',
  });
  expect(await server.run(uid, 'main', 'cat', '/data/words')).toBe('before\n');
  expect((await server.cluster.services({ labels: { [label.managed]: 'true' } })).map(({ name }) => name)).toEqual([
    uid,
  ]);
  const pins = await server.cluster.contents('configs', { labels: { [label.managed]: 'true' } });
  expect(pins.map(({ name }) => name)).toEqual([`hortus-pin.${uid}`]);
  expect(await order(builtIn.release, { remove_volumes: true, confirm: ['data'] })).toMatchObject({
    type: 'action_completed',
  });
  await daemon.close();
});

test('a daemon killed in the middle of a rollout finishes it after its restart', limit, async () => {
  const daemon = await daemonOf('after start');
  await daemon.connected();
  const uid = server.newUid();
  const parts = (text: string) => [component('main', web(server.image, { env: { VERSION: text } }))];
  const first = daemon.order(uid, parts('1'));
  await daemon.died();
  expect(await daemon.reportOf(first)).toMatchObject({ status: 'success' });
  expect(await server.running(uid)).toHaveLength(1);
  const second = daemon.order(uid, parts('2'));
  expect(await daemon.reportOf(second)).toMatchObject({ status: 'success', gap_ms: 0 });
  expect(await server.run(uid, 'main', 'sh', '-c', 'echo $VERSION')).toBe('2\n');
  expect(await ordered(daemon, 'builtin', builtIn.release, uid)).toMatchObject({ type: 'action_completed' });
  await daemon.close();
});

test(
  'a member resumes nothing while another leads, nor afterwards, and continues what that one left',
  limit,
  async () => {
    const daemon = await daemonOf('after start');
    await daemon.connected();
    const uid = server.newUid();
    const parts = (text: string) => [component('main', web(server.image, { env: { VERSION: text } }))];
    const version = () => server.run(uid, 'main', 'sh', '-c', 'echo $VERSION');
    const { service } = daemon;
    const interrupted = daemon.order(uid, parts('1'));
    // It dies in the middle of the rollout, and another member deploys a newer revision before it is back.
    await daemon.process.exited;
    service.leadership = { leads: false, epoch: 2 };
    service.pending = [];
    const newer = await server.deploy(uid, parts('2'), { deploymentId: id('dep', 90) });
    expect(newer, newer.error).toMatchObject({ status: 'success' });
    const [task] = await server.running(uid);
    const calls = service.calls.length;
    await daemon.died();
    // The nodes are reported as soon as it leads and knows what is current.
    const reports = () => service.callsTo('PUT', `/servers/${daemon.serverId}/nodes`).length;
    const reported = reports();
    // Only its own diagnostics, which a member reports without leading.
    const written = service.calls.slice(calls).filter(({ method }) => method !== 'GET');
    expect(written.filter(({ path }) => !path.endsWith('/diagnostics'))).toEqual([]);
    service.leadership = { leads: true, epoch: 3, since: 3 };
    service.sendLeadership();
    await until(() => reports() > reported, { describe: () => `the takeover\n${daemon.process.output}` });
    const later = service.calls.slice(calls).filter(({ path }) => path === `/deployments/${interrupted}/status`);
    expect(later).toEqual([]);
    expect((await server.running(uid)).map((task) => task.id)).toEqual([task?.id]);
    expect(await version()).toBe('2\n');
    // The deployment of a leader that died is continued, with a claim of its own.
    const left = daemon.prepare(uid, parts('3'));
    service.pending.push({
      id: left,
      definition_id: id('def'),
      revision: 1,
      cancelling: false,
      status: 'running',
      interrupted: true,
    });
    service.send({ type: 'deployment_available', deployment_id: left });
    expect(await daemon.reportOf(left)).toMatchObject({ status: 'success', claim: expect.any(String) });
    expect(await version()).toBe('3\n');
    expect(await ordered(daemon, 'builtin', builtIn.release, uid)).toMatchObject({ type: 'action_completed' });
    await daemon.close();
  },
);

test('a leader that loses its lease leaves the rollout to the Swarm and reports nothing', limit, async () => {
  const daemon = await daemonOf();
  await daemon.connected();
  const uid = server.newUid();
  const parts = (text: string, before = '') => [
    component('main', web(server.image, { env: { VERSION: text }, replicas: 2 }, before)),
  ];
  expect(await daemon.reportOf(daemon.order(uid, parts('1')))).toMatchObject({ status: 'success' });
  const { service } = daemon;
  const deployment = daemon.order(uid, parts('2', 'sleep 2;'));
  await until(async () => (await server.cluster.service(uid))?.update?.state === 'updating', {
    describe: 'the update to begin',
  });
  service.leadership = { leads: false, epoch: 2 };
  service.sendLeadership();
  await until(() => daemon.process.output.includes('another member leads the cluster now'), { describe: 'the loss' });
  const versions = async () => (await server.running(uid)).map(({ labels }) => labels[label.deployment]);
  await until(
    async () => (await versions()).every((version) => version === deployment) && (await versions()).length === 2,
    {
      within: 60_000,
      describe: 'the Swarm to complete the update',
    },
  );
  const reports = () =>
    service.callsTo('POST', '/deploy/report').filter(({ body }) => body.deployment_id === deployment);
  expect(reports()).toEqual([]);
  // No other member led, so it goes on with its own deployment.
  service.leadership = { leads: true, epoch: 3, since: 1 };
  service.sendLeadership();
  expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
  expect(await ordered(daemon, 'builtin', builtIn.release, uid)).toMatchObject({ type: 'action_completed' });
  await daemon.close();
});
