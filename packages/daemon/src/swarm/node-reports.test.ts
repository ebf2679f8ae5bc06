import { openLog } from '@hortus/logging/log';
import { expect, it } from 'vitest';
import type { NodeFacts } from '../engine/cluster.ts';
import type { Service } from '../link/service.ts';
import { NodeReports, nodesReport } from './node-reports.ts';
import { task } from './testing/swarm-facts.ts';

const node = (overrides: Partial<NodeFacts> = {}): NodeFacts => ({
  id: 'n1',
  name: 'node-1',
  state: 'ready',
  availability: 'active',
  role: 'manager',
  isLeader: true,
  address: '10.0.0.1',
  labels: { zone: 'a' },
  cpus: 4,
  memoryBytes: 1024,
  engineVersion: '20.10.24',
  ...overrides,
});
const labels = { 'hortus.instance': 'blog', 'hortus.component': 'app' };

it('counts the running tasks of each node by instance and component', () => {
  const tasks = [
    task({ labels }),
    task({ labels }),
    task({ labels, node: 'n2' }),
    task({ labels, state: 'failed' }),
    task({ labels: {} }),
  ];
  const report = nodesReport([node(), node({ id: 'n2', name: 'node-2', role: 'worker', state: 'down' })], tasks);
  const app = { instance_uid: 'blog', component: 'app' };
  expect(report.nodes).toMatchObject([
    {
      id: 'n1',
      hostname: 'node-1',
      engine_version: '20.10.24',
      capacity: { cpus: 4, memory_bytes: 1024 },
      labels: { zone: 'a' },
      tasks: [{ ...app, running: 2 }],
    },
    { id: 'n2', state: 'down', tasks: [{ ...app, running: 1 }] },
  ]);
});

it('stays within the limits of the service', () => {
  const many = Array.from({ length: 600 }, (_, number) => node({ id: `n${number}` }));
  const odd = node({
    name: 'x'.repeat(300),
    labels: Object.fromEntries(
      Array.from({ length: 100 }, (_, number) => [`l${number}`, 'v'.repeat(300 - number * 2)]),
    ),
  });
  const { nodes } = nodesReport([odd, ...many], []);
  expect(nodes).toHaveLength(500);
  expect(nodes[0]?.hostname).toHaveLength(255);
  expect(Object.keys(nodes[0]?.labels ?? {})).toHaveLength(64);
});

it('only the leading daemon of a cluster reports', async () => {
  const sent: unknown[] = [];
  const call = (async (...args: unknown[]) => void sent.push(args)) as unknown as Service['call'];
  let leads = false;
  const cluster = { nodes: async () => [node()], tasks: async () => [] };
  const options = { service: { call }, serverId: () => 'srv_1', leads: () => leads, log: openLog({ level: 'error' }) };
  const reports = new NodeReports({ cluster, ...options });
  await reports.report();
  expect(sent).toEqual([]);
  leads = true;
  await reports.report();
  expect(sent).toMatchObject([['clusters.reportNodes', { params: { id: 'srv_1' } }]]);
  await new NodeReports({ cluster: undefined, ...options }).report();
  expect(sent).toHaveLength(1);
});
