import { askDocker, readDocker } from '@hortus/testkit/docker-request';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { observe, withoutReplicas } from '../instances/observe.ts';
import { label } from '../plan/labels.ts';
import { component } from '../plan/testing/manifests.ts';
import { id } from '../testing/signing.ts';
import { pinOf, recordPin } from './pins.ts';
import { swarmEngine } from './swarm-engine.ts';
import { SwarmServer, web } from './testing/swarm-server.ts';

let server: SwarmServer;
let engine: Engine;
beforeAll(async () => {
  server = await SwarmServer.open({ nodes: 3 });
  engine = swarmEngine(server.engine, server.cluster);
}, 180_000);
afterAll(() => server.close());

const limit = { timeout: 240_000 };
const nodesOf = async (uid: string) => (await server.running(uid)).map(({ node }) => node);

test('volumes of instances are spread over the nodes, each instance on one of them', limit, async () => {
  const pins: (string | undefined)[] = [];
  for (const name of ['a', 'b', 'c']) {
    const uid = `${server.newUid()}${name}`;
    const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
    const parts = [
      component('main', web(server.image, { storage })),
      component('side', { image: server.image, storage, command: ['sleep', '1000'] }),
    ];
    expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
    const services = await Promise.all([uid, `${uid}-side`].map((text) => server.cluster.service(text)));
    const [first, second] = services.map((service) => service && pinOf(service));
    expect(first).toBe(second);
    pins.push(first);
  }
  expect(new Set(pins).size).toBe(3);
});

test('a volume that another definition left on another node is never given to a task', limit, async () => {
  const uid = server.newUid();
  const volume = `${uid}_data`;
  const [, other] = await server.cluster.nodes();
  if (!other) throw new Error('the Swarm has one node');
  const engines = await Promise.all((await server.cluster.nodes()).map(({ id }) => server.engineOf(id)));
  const left = { [label.managed]: 'true', [label.instance]: uid, [label.definition]: 'def_of_another' };
  const storage = [{ name: 'data', volume, mount_path: '/data', read_only: false, critical: true }];
  // As a former deployment of this uid recorded it.
  await recordPin(server.cluster, { [label.managed]: 'true', [label.instance]: uid }, other.id);
  const elsewhere = engines[(await server.cluster.nodes()).findIndex(({ id }) => id === other.id)];
  await elsewhere?.ensureVolume({ name: volume, labels: left, owner: [] });
  const parts = [component('main', web(server.image, { storage }))];
  const refused = await server.deploy(uid, parts);
  expect(refused.error).toContain('it exists already, but was not created for this definition');
  expect(await server.cluster.service(uid)).toBeUndefined();
  for (const engine of engines) await engine.removeVolume(volume);
  expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
  expect((await elsewhere?.volume(volume))?.labels[label.definition]).toBe(id('def'));
});

test('components run where their placement says, also those with volumes', limit, async () => {
  const { socketPath } = server.swarm.nodes[0];
  type Node = { ID: string; Version: { Index: number }; Spec: object; Description: { Hostname: string } };
  const nodes = await readDocker<Node[]>(socketPath, '/nodes');
  const second = nodes.find(({ Description }) => Description.Hostname === 'n2') as Node;
  const path = `/nodes/${second.ID}/update?version=${second.Version.Index}`;
  expect((await askDocker(socketPath, 'POST', path, { ...second.Spec, Labels: { disk: 'ssd' } })).status).toBe(200);
  const uid = server.newUid();
  const placement = { constraints: { disk: 'ssd' }, spread: 'disk' };
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
  const parts = [
    component('main', web(server.image, { replicas: 2, placement })),
    component('side', { image: server.image, command: ['sleep', '1000'], storage, placement }),
  ];
  expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
  expect(await nodesOf(uid)).toEqual([second.ID, second.ID, second.ID]);
  expect(server.said()).toContain('If node n2 is lost, side is down until it is back');
  expect(server.said()).toContain('If node n2 is lost, main is down: no other node');
});

test('replicas are spread, observed on every node, and come back after the loss of a worker', limit, async () => {
  const uid = server.newUid();
  const said = 'echo serving;';
  const parts = [component('main', web(server.image, { replicas: 3 }, said))];
  expect(await server.deploy(uid, parts), server.said()).toMatchObject({ status: 'success' });
  expect(new Set(await nodesOf(uid)).size).toBe(3);
  const [instance] = await observe(engine, server.id, uid);
  expect(instance).toMatchObject({ status: 'running', health: 'healthy' });
  expect(instance?.components).toHaveLength(3);
  expect(withoutReplicas(instance?.components ?? [])).toMatchObject([{ name: 'main', nodes: ['n1', 'n2', 'n3'] }]);

  const containers = await engine.containers({ labels: { 'hortus.instance': uid } });
  const away = containers.find(({ node }) => node?.name === 'n3');
  const id = away?.id ?? '';
  await expect(engine.exec(id, { argv: ['true'] })).rejects.toThrow('it runs on node n3');
  expect(await engine.logs(id, { tail: 5 })).toBe('serving\n');
  for await (const { pieces } of engine.followLogs(id, undefined, new AbortController().signal)) {
    if (pieces[0] === undefined) continue;
    expect(pieces[0].content.toString('utf8')).toBe('serving');
    break;
  }

  const third = server.swarm.nodes[2];
  third?.kill();
  await until(
    async () => {
      const [seen] = await observe(engine, server.id, uid);
      const there = await engine.containers({ labels: { 'hortus.instance': uid } });
      const isMoved = !there.some(({ node }) => node?.name === 'n3');
      return isMoved && seen?.status === 'running' && seen.health === 'healthy' && (await nodesOf(uid)).length >= 3;
    },
    { describe: 'three healthy tasks on the other nodes', within: 120_000 },
  );
});

test('a deployment names the lost node of its volumes instead of waiting for it', limit, async () => {
  const services = await server.cluster.services({ labels: { 'hortus.server': server.id } });
  const nodes = await server.cluster.nodes();
  const lost = nodes.find(({ name }) => name === 'n3');
  const service = services.find(
    (service) => pinOf(service) === lost?.id && service.labels['hortus.primary'] === 'true',
  );
  const uid = service?.name ?? '';
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
  const result = await server.deploy(uid, [component('main', web(server.image, { storage, env: { NEW: '1' } }))]);
  expect(result).toMatchObject({ status: 'failed', reason: 'unsupported' });
  expect(result.error).toContain('The volumes are on node n3, which is down');
});
