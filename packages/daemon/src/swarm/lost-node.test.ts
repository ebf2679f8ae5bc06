import { expect, it } from 'vitest';
import type { Cluster, ContentFacts, NodeFacts, ServiceFacts } from '../engine/cluster.ts';
import { label, labelsOf } from '../plan/labels.ts';
import { component } from '../plan/testing/manifests.ts';
import { moveFromLost } from './lost-node.ts';
import { pinTo, recordedPin } from './pins.ts';
import { service } from './testing/swarm-facts.ts';

const own = labelsOf({ serverId: 'srv', uid: 'rows', definitionId: 'def' });
const storage = [{ name: 'rows', volume: 'rows', mount_path: '/rows', read_only: false, critical: true }];
const manifest = {
  components: [component('db', { storage, placement: { constraints: { disk: 'ssd' } } })],
  deployment_id: 'dep_1',
  revision: 3,
};
const node = (id: string, overrides: Partial<NodeFacts> = {}): NodeFacts => ({
  id,
  name: `host-${id}`,
  state: 'ready',
  availability: 'active',
  role: 'manager',
  isLeader: false,
  address: '',
  labels: { disk: 'ssd' },
  cpus: 2,
  memoryBytes: 2 ** 30,
  ...overrides,
});

/** A Swarm in memory whose node `c` has the instance and is down. Its next change fails after `changes` of them. */
class Swarm {
  nodesNow = [node('a', { labels: {} }), node('b'), node('c', { state: 'down' })];
  servicesNow: ServiceFacts[] = [service({ id: 's', labels: own, constraints: [pinTo('c')] })];
  configs: ContentFacts[] = [];
  changes = Number.POSITIVE_INFINITY;

  constructor() {
    this.configs.push({
      id: 'pin',
      name: 'pin',
      labels: { ...own, 'hortus.pinned_to': 'c' },
      data: Buffer.alloc(0),
      createdAt: 0,
    });
  }

  get cluster(): Cluster {
    const change = () => {
      if (this.changes-- <= 0) throw new Error('the leader was lost');
    };
    const has = (labels: Record<string, string>, wanted: object) =>
      Object.entries(wanted).every(([key, value]) => (value === true ? key in labels : labels[key] === value));
    return {
      membership: async () => ({ nodeId: 'a', isManager: true }),
      nodes: async () => this.nodesNow,
      services: async ({ labels }: { labels: object }) =>
        this.servicesNow.filter((service) => has(service.labels, labels)),
      removeService: async (id: string) => {
        change();
        this.servicesNow = this.servicesNow.filter((service) => service.id !== id);
      },
      contents: async (_: string, { labels }: { labels: object }) =>
        this.configs.filter((config) => has(config.labels, labels)),
      createContent: async (_: string, { name, labels }: { name: string; labels: Record<string, string> }) => {
        change();
        this.configs.push({ id: name, name, labels, data: Buffer.alloc(0), createdAt: 0 });
        return name;
      },
      removeContent: async (_: string, id: string) => {
        change();
        this.configs = this.configs.filter((config) => config.id !== id);
        return true;
      },
    } as unknown as Cluster;
  }

  move = () => moveFromLost({ cluster: this.cluster, manifest, own, lost: 'c' });
}

it('an instance moves to a node with the labels of its placement, and its services are gone', async () => {
  const swarm = new Swarm();
  const moving = await swarm.move();
  expect(moving).toMatchObject({ node: { id: 'b', name: 'host-b' }, lostName: 'host-c' });
  expect(swarm.servicesNow).toEqual([]);
  expect(await recordedPin(swarm.cluster, 'rows')).toBe('b');
  expect(swarm.configs.map(({ labels }) => labels[label.deployment])).toContain('dep_1');
});

it('the next leader continues wherever the last one was lost, and changes nothing once the data was complete', async () => {
  for (let changes = 0; changes < 4; changes++) {
    const swarm = new Swarm();
    swarm.changes = changes;
    await expect(swarm.move()).rejects.toThrow('the leader was lost');
    swarm.changes = Number.POSITIVE_INFINITY;
    const moving = await swarm.move();
    expect(moving?.node.id, `after ${changes} changes`).toBe('b');
    expect([swarm.servicesNow, await recordedPin(swarm.cluster, 'rows')]).toEqual([[], 'b']);
    // The data is not complete before `done`, so it is restored again.
    expect((await swarm.move())?.node.id).toBe('b');
    await moving?.done();
    expect(await swarm.move()).toBeUndefined();
  }
});

it('nothing moves if the node is back, or no other one has the labels', async () => {
  const back = new Swarm();
  back.nodesNow = [node('b'), node('c')];
  await expect(back.move()).rejects.toThrow('Node host-c is back with the data; nothing was restored');
  const alone = new Swarm();
  alone.nodesNow = [node('a', { labels: {} }), node('c', { state: 'down' })];
  await expect(alone.move()).rejects.toThrow('No node of the Swarm is ready, active and has the labels');
  for (const { servicesNow, cluster } of [back, alone])
    expect([servicesNow.length, await recordedPin(cluster, 'rows')]).toEqual([1, 'c']);
});
