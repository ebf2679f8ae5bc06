import { expect, it } from 'vitest';
import type { NodeFacts } from '../engine/cluster.ts';
import { desiredState } from '../plan/desired.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { desiredServices } from './desired-services.ts';
import { serviceLossLines } from './node-loss.ts';

const node = (id: string, overrides: Partial<NodeFacts> = {}): NodeFacts => ({
  id,
  name: `host-${id}`,
  state: 'ready',
  availability: 'active',
  role: 'worker',
  isLeader: false,
  address: '',
  labels: {},
  cpus: 2,
  memoryBytes: 2 ** 30,
  ...overrides,
});

const storage = [{ name: 'data', volume: 'v', mount_path: '/data', read_only: false, critical: true }];
const input = manifest('u', [
  component('db', { storage }),
  component('web', { replicas: 3 }),
  component('mail'),
  component('fast', { replicas: 2, placement: { constraints: { disk: 'ssd' } } }),
  component('setup', { kind: 'job', run: 'before_start' }),
]);
const from = { deploymentId: 'dep', definitionId: 'def', revision: 1, serverId: 'srv', manifest: input };
const services = desiredServices(desiredState(from), input, { node: 'a', cpus: 2, logDriver: '', routed: new Set() });

it('says for every service what the loss of a node means', () => {
  expect(serviceLossLines(services, [node('a'), node('b', { labels: { disk: 'ssd' } })])).toEqual([
    'If node host-a is lost, db is down until it is back, because its volumes are there',
    'If a node is lost, web keeps serving with the tasks of the others',
    'If the node of mail is lost, the Swarm starts it on another one',
    'If node host-b is lost, fast is down: no other node has the labels of its placement',
  ]);
});

it('says that a component comes back from its last verified backup, and what is missing then', () => {
  const components = [{ name: 'db', on_node_loss: 'restore' as const }];
  const [line] = serviceLossLines(services, [node('a'), node('b')], components);
  expect(line).toContain(
    'If node host-a is lost for a minute, db is restored on another one from its last verified backup',
  );
  expect(line).toContain('what was written since is missing');
});

it('counts only nodes that can run tasks', () => {
  const nodes = [node('a'), node('b', { availability: 'drain' }), node('c', { state: 'down' })];
  expect(serviceLossLines(services, nodes)).toEqual([
    'Only node host-a can run tasks: its loss stops the whole instance',
  ]);
  expect(serviceLossLines(services, [])).toEqual(['No node of the Swarm can run tasks now; they wait for one']);
});
