import type { Manifest } from '@hortus/contract/template/manifest';
import { expect, it } from 'vitest';
import { clusterWarnings, ingressLossLines, type LosableNode } from './node-loss.ts';

const node = (name: string, overrides: Partial<LosableNode> = {}): LosableNode => ({
  name,
  labels: { 'hortus.ingress': 'true' },
  usable: true,
  ...overrides,
});

/** The fields of a manifest that a cluster warning depends on. */
const manifest = (tls: 'auto' | 'off', network = 'bridge'): Manifest =>
  ({
    components: [
      { name: 'web', kind: 'service', replicas: 3, storage: [], network },
      { name: 'db', kind: 'service', replicas: 1, storage: [{ volume: 'data' }], network: 'bridge' },
      { name: 'setup', kind: 'job', replicas: 1, storage: [], network: 'bridge' },
    ],
    routes: [{ name: 'site', component: 'web', host: 'a.example.org', path: '/', tls }],
  }) as unknown as Manifest;

it('a plan for a cluster says what the loss of a node means for each service and the routes', () => {
  expect(clusterWarnings(manifest('off'), [node('n2'), node('n1'), node('n3', { labels: {} })])).toEqual([
    'If a node is lost, web keeps serving with the tasks of the others.',
    'If the node of the volumes of db is lost, db is down until it is back, because its volumes are there.',
    'If one of the nodes n1, n2 is lost, the others serve the routes; requests must reach them by DNS or a load balancer.',
  ]);
  expect(clusterWarnings(manifest('off'), [])).toEqual([]);
});

it('a plan for a cluster says which routes would be refused', () => {
  const plain = [node('n1', { labels: {} }), node('n2', { labels: {} })];
  expect(clusterWarnings(manifest('off'), plain)[0]).toBe(
    'The deployment will be refused: route site: no node of the Swarm has the label hortus.ingress=true; add it with docker node update --label-add hortus.ingress=true <node>.',
  );
  expect(clusterWarnings(manifest('auto'), [node('n1'), node('n2')])[0]).toContain('tls auto needs a single node');
  expect(clusterWarnings(manifest('auto'), [node('n1'), ...plain])[0]).not.toContain('refused');
  expect(clusterWarnings(manifest('off', 'host'), [node('n1')])[0]).toContain('web uses the network of its node');
});

it('a single node of the ingress, or none that is ready, is named', () => {
  expect(ingressLossLines([node('n1'), node('n2', { usable: false })])).toEqual([
    'If node n1 is lost, no route is served: it is the only node of the ingress',
  ]);
  expect(ingressLossLines([node('n1', { usable: false })])[0]).toContain('No node of the ingress is ready');
});
