import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { busyboxPath } from '@hortus/testkit/images';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOnInstance } from '../actions/built-in.ts';
import type { Engine } from '../engine/engine.ts';
import { addressOf } from '../instances/address.ts';
import { observe } from '../instances/observe.ts';
import { label } from '../plan/labels.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { swarmLifecycle } from './lifecycle.ts';
import { recordedPin } from './pins.ts';
import { swarmEngine } from './swarm-engine.ts';
import { SwarmServer, web } from './testing/swarm-server.ts';

let server: SwarmServer;
let engine: Engine;
beforeAll(async () => {
  server = await SwarmServer.open();
  engine = swarmEngine(server.engine, server.cluster);
}, 180_000);
afterAll(() => server.close());

const limit = { timeout: 180_000 };

async function observed(uid: string) {
  return (await observe(engine, server.id, uid))[0];
}

function act(slug: string, uid: string, parts: ManifestComponent[], params: Record<string, unknown> = {}) {
  const handler = swarmLifecycle(server.cluster, async () => ({ engine, cluster: server.cluster }))[slug];
  if (handler === undefined) throw new Error(`no handler of ${slug}`);
  const overrides: Manifest = manifest(uid, parts);
  const nothing = async () => {};
  const without = { unroute: nothing, forget: nothing, abandon: nothing };
  return runOnInstance(slug, handler, { engine, uid, manifest: overrides, params, ...without });
}

const storage = (uid: string) => [
  { name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true },
];

describe('the state of an instance', () => {
  test('is that of its current tasks, not of former ones', limit, async () => {
    const uid = server.newUid();
    const version = (text: string) => [
      component('main', web(server.image, { replicas: 2, env: { VERSION: text } })),
      component('side', { image: server.image, command: ['sleep', '1000'] }),
    ];
    await server.deploy(uid, version('1'));
    await server.deploy(uid, version('2'));
    const instance = await observed(uid);
    expect(instance).toMatchObject({ container_name: uid, status: 'running', health: 'healthy' });
    expect(instance?.components.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'side running',
      'main running',
      'main running',
    ]);
  });

  test('is failed while no node can run a task', limit, async () => {
    const uid = server.newUid();
    const far = { image: server.image, resources: { memory_reservation_bytes: 2 ** 50 } };
    const aborted = new AbortController();
    const deploying = server.deploy(uid, [component('main', far)], { signal: aborted.signal });
    await until(async () => (await observed(uid))?.status === 'failed', { describe: 'the instance to be failed' });
    await until(() => server.said().includes('waits for a node: no suitable node'), { describe: 'the log line' });
    aborted.abort('cancelled');
    expect(await deploying).toMatchObject({ status: 'failed', reason: 'cancelled', restored: true });
    expect(await engine.networks({ labels: { [label.instance]: uid } })).toEqual([]);
  });
});

test('stop, start and restart act on the services; the former number of tasks comes back', limit, async () => {
  const uid = server.newUid();
  const parts = [component('main', web(server.image, { replicas: 2 }))];
  await server.deploy(uid, parts);
  expect(await act(builtIn.stop, uid, parts)).toMatchObject({ status: 'completed' });
  expect(await server.running(uid)).toEqual([]);
  expect(await observed(uid)).toMatchObject({ status: 'stopped' });
  expect(await act(builtIn.start, uid, parts)).toMatchObject({ status: 'completed' });
  const started = (await server.running(uid)).map(({ id }) => id);
  expect(started).toHaveLength(2);
  expect(await act(builtIn.restart, uid, parts)).toMatchObject({ status: 'completed' });
  const restarted = (await server.running(uid)).map(({ id }) => id);
  expect(restarted).toHaveLength(2);
  for (const id of started) expect(restarted).not.toContain(id);
});

test('a deployment starts an instance that was stopped', limit, async () => {
  const uid = server.newUid();
  const parts = [component('main', web(server.image))];
  await server.deploy(uid, parts);
  await act(builtIn.stop, uid, parts);
  expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
  expect(await server.running(uid)).toHaveLength(1);
});

test(
  'release removes services, files and network, and keeps volumes with the memory of their node',
  limit,
  async () => {
    const uid = server.newUid();
    const files = [{ mount_path: '/etc/app.conf', mode: '0600', content: 'hidden' }];
    const parts = [component('main', web(server.image, { storage: storage(uid), files }))];
    const labels = { [label.instance]: uid };
    await server.deploy(uid, parts);
    await server.run(uid, 'main', 'sh', '-c', 'echo precious > /data/file');
    expect(await act(builtIn.release, uid, parts)).toMatchObject({ status: 'completed' });
    expect(await server.cluster.services({ labels })).toEqual([]);
    expect(await server.cluster.contents('secrets', { labels })).toEqual([]);
    expect(await engine.networks({ labels })).toEqual([]);
    expect((await engine.volumes({ labels })).map(({ name }) => name)).toEqual([`${uid}_data`]);
    expect(await recordedPin(server.cluster, uid)).toBeDefined();
    expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
    expect(await server.run(uid, 'main', 'cat', '/data/file')).toBe('precious\n');
    expect(await act(builtIn.release, uid, parts, { remove_volumes: true })).toMatchObject({ status: 'failed' });
    const confirmed = { remove_volumes: true, confirm: ['data'] };
    expect(await act(builtIn.release, uid, parts, confirmed)).toMatchObject({ status: 'completed' });
    expect(await engine.volumes({ labels })).toEqual([]);
    expect(await recordedPin(server.cluster, uid)).toBeUndefined();
  },
);

test('release removes containers that completed jobs left, which would keep the volume', limit, async () => {
  const uid = server.newUid();
  const shared = storage(uid);
  const parts = [
    component('main', web(server.image, { storage: shared })),
    component('migrate', {
      kind: 'job',
      run: 'before_start',
      image: server.image,
      command: ['true'],
      storage: shared,
    }),
  ];
  expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
  const confirmed = { remove_volumes: true, confirm: ['data'] };
  expect(await act(builtIn.release, uid, parts, confirmed)).toMatchObject({ status: 'completed' });
  const labels = { [label.instance]: uid };
  expect(await server.engine.volumes({ labels })).toEqual([]);
  expect(await server.engine.containers({ labels })).toEqual([]);
});

test('a network that several rollouts need at once is created once', limit, async () => {
  const labels = { [label.server]: server.newUid() };
  const spec = { name: `hortus-${server.newUid()}`, labels, owner: [label.server] };
  const ids = await Promise.all(Array.from({ length: 8 }, () => server.cluster.ensureNetwork(spec)));
  expect(new Set(ids).size).toBe(1);
  expect(await engine.networks({ labels })).toHaveLength(1);
  await engine.removeNetwork(spec.name);
});

test('tasks of this node have an address at which the node reaches them', limit, async () => {
  const uid = server.newUid();
  await server.deploy(uid, [component('main', web(server.image))]);
  const [facts] = await engine.containers({ labels: { [label.instance]: uid } });
  const address = facts && addressOf(facts);
  const [prefix, ...args] = server.swarm.nodes[0].prefix;
  const url = `http://${address}:8080/health`;
  const { stdout } = await promisify(execFile)(prefix, [...args, busyboxPath(), 'wget', '-q', '-O', '-', url]);
  expect(stdout).toBe('ok\n');
});

test('a task is not stopped or removed as a container, because the Swarm would replace it', limit, async () => {
  const uid = server.newUid();
  await server.deploy(uid, [component('main', web(server.image))]);
  const [task] = await server.running(uid);
  const { containerId = '' } = task ?? {};
  await expect(engine.stop(containerId, 1_000)).rejects.toThrow('a task of the Swarm');
  await expect(engine.remove(containerId, { force: true })).rejects.toThrow('a task of the Swarm');
  expect((await server.running(uid)).map(({ id }) => id)).toEqual([task?.id]);
});

test(
  'a failed update of a stopped instance stops it again, and failures of former tasks do not count',
  limit,
  async () => {
    const uid = server.newUid();
    const version = (text: string, before = '') => [
      component('main', web(server.image, { env: { VERSION: text } }, before)),
    ];
    await server.deploy(uid, version('1'));
    const [task] = await server.running(uid);
    await server.engine.kill(task?.containerId ?? '', 'SIGKILL');
    await until(
      async () => (await server.running(uid))[0]?.id !== task?.id && (await server.running(uid)).length === 1,
      {
        describe: 'the Swarm to replace the task',
      },
    );
    await act(builtIn.stop, uid, version('1'));
    expect(await server.deploy(uid, version('2', 'exit 4;'))).toMatchObject({ status: 'failed', restored: true });
    expect(await observed(uid)).toMatchObject({ status: 'stopped' });
    expect(await server.deploy(uid, version('1')), server.said()).toMatchObject({ status: 'success' });
    expect(await server.run(uid, 'main', 'sh', '-c', 'echo $VERSION')).toBe('1\n');
  },
);
