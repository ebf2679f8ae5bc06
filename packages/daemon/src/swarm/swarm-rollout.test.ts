import { askDocker } from '@hortus/testkit/docker-request';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { label } from '../plan/labels.ts';
import { component } from '../plan/testing/manifests.ts';
import { SwarmServer, web, webCheck } from './testing/swarm-server.ts';

let server: SwarmServer;
beforeAll(async () => {
  server = await SwarmServer.open();
}, 180_000);
afterAll(() => server.close());

const limit = { timeout: 180_000 };
const secretsOf = (uid: string) => server.cluster.contents('secrets', { labels: { [label.instance]: uid } });

describe('a first deployment', () => {
  test('leads to healthy tasks on an overlay network of the instance, reachable by their aliases', limit, async () => {
    const uid = server.newUid();
    const result = await server.deploy(uid, [
      component('main', { ...web(server.image), replicas: 2 }),
      component('other', { image: server.image, command: ['sleep', '1000'] }),
    ]);
    expect(result, server.said()).toMatchObject({
      status: 'success',
      instance: { container_name: uid, status: 'running', health: 'healthy' },
      images: [
        { component: 'main', image: server.image, digest: expect.stringMatching(/^sha256:/) },
        { component: 'other' },
      ],
    });
    expect(result.components.map(({ name }) => name)).toEqual(['main', 'main', 'other']);
    expect((await server.cluster.service(uid))?.image).toContain('@sha256:');
    expect(await server.run(uid, 'other', 'wget', '-q', '-O', '-', 'http://alias-main:8080/health')).toBe('ok\n');
  });

  test('whose task exits at once fails with its last lines and leaves no service', limit, async () => {
    const uid = server.newUid();
    const command = ['sh', '-c', 'echo no such table; exit 3'];
    const result = await server.deploy(uid, [component('main', { ...web(server.image), command })]);
    expect(result).toMatchObject({ status: 'failed', reason: 'exited', restored: true });
    expect(result.error).toContain('exited with code 3');
    expect(result.last_lines).toContain('no such table');
    expect(await server.cluster.service(uid)).toBeUndefined();
  });

  test('that never becomes healthy fails', limit, async () => {
    const healthcheck = { test: ['false'], interval_ms: 200, timeout_ms: 5_000, start_period_ms: 0, retries: 2 };
    const parts = [component('main', { image: server.image, command: ['sleep', '1000'], healthcheck })];
    const result = await server.deploy(server.newUid(), parts);
    expect(result).toMatchObject({ status: 'failed', reason: 'unhealthy', restored: true });
  });

  test('refuses by name what services cannot do, before anything changes', limit, async () => {
    const uid = server.newUid();
    const result = await server.deploy(uid, [
      component('main', { ...web(server.image), privileged: true, pid: 'host', links: [] }),
    ]);
    expect(result).toMatchObject({ status: 'failed', reason: 'unsupported' });
    expect(result.error).toContain('main: privileged; main: pid: host');
    expect(await server.cluster.services({ labels: { [label.instance]: uid } })).toEqual([]);
  });
});

describe('another deployment', () => {
  test('without changes does nothing', limit, async () => {
    const uid = server.newUid();
    const parts = [component('main', web(server.image))];
    const first = await server.deploy(uid, parts);
    const [before] = await server.running(uid);
    const { gap_ms: _, ...second } = await server.deploy(uid, parts);
    expect(server.said()).toContain('nothing to do');
    expect(second).toEqual(first);
    expect((await server.running(uid)).map(({ id }) => id)).toEqual([before?.id]);
  });

  test('replaces tasks without a gap, and reports each of them', limit, async () => {
    const uid = server.newUid();
    const version = (text: string) => [
      component('main', { ...web(server.image), replicas: 2, env: { VERSION: text } }),
    ];
    await server.deploy(uid, version('1'));
    const result = await server.deploy(uid, version('2'));
    expect(result, server.said()).toMatchObject({ status: 'success', gap_ms: 0 });
    expect(server.said()).toContain('main: 2 of 2 tasks run');
    expect(await server.run(uid, 'main', 'sh', '-c', 'echo $VERSION')).toBe('2\n');
    expect(await server.running(uid)).toHaveLength(2);
  });

  test('of a broken version is rolled back by the Swarm, with the reason', limit, async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web(server.image)), component('side', web(server.image))]);
    const before = (await server.running(uid)).map(({ id }) => id).sort();
    const result = await server.deploy(uid, [
      component('main', { ...web(server.image, {}, 'echo broken; exit 4;') }),
      component('side', web(server.image)),
    ]);
    expect(result, server.said()).toMatchObject({ status: 'failed', reason: 'exited', restored: true });
    expect(result.last_lines).toContain('broken');
    const after = await server.running(uid);
    expect(after).toHaveLength(2);
    expect(after.map(({ id }) => id).sort()).toEqual(before);
  });

  test('returns to the former version of every component if one fails', limit, async () => {
    const uid = server.newUid();
    const version = (text: string, before = '') => [
      component('base', web(server.image, { env: { VERSION: text } })),
      component('main', web(server.image, { env: { VERSION: text }, depends_on: { base: 'healthy' } }, before)),
    ];
    expect(await server.deploy(uid, version('1'))).toMatchObject({ status: 'success' });
    expect(await server.deploy(uid, version('2', 'exit 4;'))).toMatchObject({ status: 'failed', restored: true });
    expect(await server.run(uid, 'base', 'sh', '-c', 'echo $VERSION')).toBe('1\n');
    expect(await server.run(uid, 'main', 'sh', '-c', 'echo $VERSION')).toBe('1\n');
  });

  test('scales without replacing tasks', limit, async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web(server.image))]);
    const [before] = await server.running(uid);
    await server.deploy(uid, [component('main', web(server.image, { replicas: 3 }))]);
    const after = await server.running(uid);
    expect(after).toHaveLength(3);
    expect(after.map(({ id }) => id)).toContain(before?.id);
  });

  test('removes components that are no longer declared', limit, async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web(server.image)), component('side', web(server.image))]);
    await server.deploy(uid, [component('main', web(server.image))]);
    const services = await server.cluster.services({ labels: { [label.instance]: uid } });
    expect(services.map(({ name }) => name)).toEqual([uid]);
  });
});

test('files are secrets of the Swarm, and those no longer used by any version are removed', limit, async () => {
  const uid = server.newUid();
  const files = (content: string) => [{ mount_path: '/etc/app.conf', mode: '0640', content }];
  const deploy = (content: string) =>
    server.deploy(uid, [component('main', web(server.image, { files: files(content) }))]);
  expect(await deploy('one')).toMatchObject({ status: 'success' });
  expect(await server.run(uid, 'main', 'cat', '/etc/app.conf')).toBe('one');
  expect(await server.run(uid, 'main', 'stat', '-c', '%a %u', '/etc/app.conf')).toBe('640 0\n');
  await deploy('two');
  expect(await server.run(uid, 'main', 'cat', '/etc/app.conf')).toBe('two');
  // The former one is kept for a rollback.
  expect(await secretsOf(uid)).toHaveLength(2);
  await deploy('three');
  expect(await secretsOf(uid)).toHaveLength(2);
});

describe('a job', () => {
  const job = (script: string) =>
    component('prepare', {
      kind: 'job',
      run: 'before_start',
      image: server.image,
      command: ['sh', '-c', script],
      restart: 'no',
    });

  test('runs to completion before the services, once per version', limit, async () => {
    const uid = server.newUid();
    const parts = [job('echo prepared'), component('main', web(server.image))];
    expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
    expect(server.said()).toMatch(/prepare completed on n1[\s\S]*main is healthy/);
    await server.deploy(uid, parts);
    expect(server.said()).not.toContain('prepare completed');
  });

  test('that fails ends the deployment with its exit code and last lines', limit, async () => {
    const uid = server.newUid();
    const result = await server.deploy(uid, [job('echo no database; exit 5'), component('main', web(server.image))]);
    expect(result).toMatchObject({ status: 'failed', reason: 'job_failed', restored: true });
    expect(result.error).toContain('prepare exited with code 5');
    expect(result.last_lines).toContain('no database');
    expect(await server.cluster.services({ labels: { [label.instance]: uid } })).toEqual([]);
  });

  test('that is irreversible forbids the way back, also that of the Swarm', limit, async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web(server.image))]);
    const deploymentId = 'dep_irreversible';
    const parts = [
      { ...job('echo migrated'), irreversible: true },
      component('main', web(server.image, {}, 'exit 4;')),
    ];
    const result = await server.deploy(uid, parts, { deploymentId });
    expect(result).toMatchObject({ status: 'failed', reason: 'irreversible', restored: false });
    const [main] = await server.cluster.services({ labels: { [label.instance]: uid, [label.component]: 'main' } });
    expect(main).toMatchObject({ labels: { [label.deployment]: deploymentId }, update: { state: 'paused' } });
  });
});

test('a component with a volume is pinned to its node and keeps its data across versions', limit, async () => {
  const uid = server.newUid();
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
  const version = (text: string) => [component('main', web(server.image, { storage, env: { VERSION: text } }))];
  expect(await server.deploy(uid, version('1')), server.said()).toMatchObject({ status: 'success' });
  expect(server.said()).toContain('its volumes bind it to node n1');
  await server.run(uid, 'main', 'sh', '-c', 'echo precious > /data/file');
  expect(await server.deploy(uid, version('2')), server.said()).toMatchObject({ status: 'success' });
  expect(await server.run(uid, 'main', 'cat', '/data/file')).toBe('precious\n');
  const [node] = await server.cluster.nodes();
  expect((await server.cluster.service(uid))?.constraints).toEqual([`node.id==${node?.id}`]);
});

test('an interrupted deployment continues from the state of the Swarm', limit, async () => {
  const uid = server.newUid();
  const parts = (text: string) => [component('main', web(server.image, { env: { VERSION: text } }))];
  await server.deploy(uid, parts('1'));
  // Ends as a killed daemon would: between the order to the Swarm and its result.
  const killed = server.deploy(uid, parts('2'), {
    deploymentId: 'dep_interrupted',
    cluster: { ...server.cluster, tasks: () => new Promise(() => {}) },
  });
  await until(async () => (await server.cluster.service(uid))?.labels[label.deployment] === 'dep_interrupted', {
    describe: 'the update to begin',
  });
  void killed;
  const result = await server.deploy(uid, parts('2'), { deploymentId: 'dep_interrupted' });
  expect(result, server.said()).toMatchObject({ status: 'success' });
  expect(await server.run(uid, 'main', 'sh', '-c', 'echo $VERSION')).toBe('2\n');
});

test('a service of another owner is not touched', limit, async () => {
  const uid = server.newUid();
  const { socketPath } = server.swarm.nodes[0];
  await askDocker(socketPath, 'POST', '/services/create', {
    Name: uid,
    TaskTemplate: { ContainerSpec: { Image: server.image } },
  });
  const result = await server.deploy(uid, [component('main', { ...web(server.image), healthcheck: webCheck })]);
  expect(result).toMatchObject({ status: 'failed', reason: 'name_taken' });
});
