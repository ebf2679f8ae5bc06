import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import type { Cluster, NodeFacts, ServiceFacts } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { InstanceRule } from '../ingress/cluster-routes.ts';
import { label } from '../plan/labels.ts';
import { INGRESS_PART, SOURCE_SERVICE } from './ingress-names.ts';
import { sourceService } from './ingress-services.ts';
import { SwarmIngress } from './swarm-ingress.ts';
import { service } from './testing/swarm-facts.ts';

const rule = (host: string, overrides: Partial<InstanceRule> = {}): InstanceRule => ({
  ...{ instanceUid: 'shop', name: 'web', component: 'main', port: 80 },
  ...{ host, path: '/', strip: false, tls: 'off' },
  ...overrides,
});

const node = (name: string): NodeFacts => ({
  ...{ id: name, name, state: 'ready', availability: 'active', role: 'worker', isLeader: false, address: '10.0.0.1' },
  ...{ labels: { 'hortus.ingress': 'true' }, cpus: 2, memoryBytes: 1 },
});

/** An ingress whose Swarm has these services, nodes and records of routes. */
function open(overrides: { services?: ServiceFacts[]; nodes?: NodeFacts[]; rules?: InstanceRule[] } = {}) {
  const logged: string[] = [];
  const write = (line: string) => {
    const { msg, reason, err } = JSON.parse(line);
    logged.push(`${msg}: ${reason ?? err?.message}`);
  };
  const data = (rules: InstanceRule[]) => Buffer.from(JSON.stringify(rules));
  const record = ({ instanceUid }: InstanceRule, rules: InstanceRule[]) => ({
    ...{ id: instanceUid, name: instanceUid, createdAt: 1, data: data(rules) },
    labels: { [label.instance]: instanceUid, 'hortus.routes': 'true' },
  });
  const { services = [], nodes = [node('n1')], rules = [] } = overrides;
  const cluster = {
    services: async () => services,
    nodes: async () => nodes,
    contents: async (kind: string) => (kind === 'configs' ? rules.map((rule) => record(rule, [rule])) : []),
    ensureNetwork: () => Promise.reject(new Error('The Swarm is scripted.')),
  } as unknown as Cluster;
  const ingress = new SwarmIngress({
    ...{ cluster, engine: {} as Engine, image: 'caddy:2', httpPort: 80, httpsPort: 443, everyMs: 5 },
    serverId: () => 'srv_1',
    leads: () => true,
    log: openLog({ level: 'debug', stream: { write } }),
  });
  return { ingress, logged };
}

it('recorded routes are not current before the nodes are told to fetch them', async () => {
  const rules = [rule('a.test')];
  const none = open();
  expect(await none.ingress.isCurrent(rules)).toBe(false);
  expect(await none.ingress.isCurrent([])).toBe(true);
  const outdated = sourceService({ serverId: 'srv_1', image: 'caddy:2', file: { id: '', name: 'hortus-ingress-old' } });
  const source = service({ name: SOURCE_SERVICE, labels: { ...outdated.labels, [INGRESS_PART]: 'service' } });
  expect(await open({ services: [source] }).ingress.isCurrent(rules)).toBe(false);
});

it('routes that do not fit into one document are refused with their number and size', () => {
  const { ingress } = open();
  const many = Array.from({ length: 3_000 }, (_, number) => rule(`shop-${number}.example.test`));
  expect(() => ingress.requireRoom(many)).toThrow(/The 3000 routes of the cluster need \d+ bytes.*500000/);
  expect(() => ingress.requireRoom(many.slice(0, 100))).not.toThrow();
});

it('labels that were changed after a deployment are logged once with what they mean', async () => {
  const auto = rule('shop.example.org', { tls: 'auto' });
  const { ingress, logged } = open({ nodes: [node('n1'), node('n2')], rules: [auto] });
  ingress.start();
  // Each check fails at the network, which the scripted Swarm refuses.
  await until(() => logged.filter((line) => line.includes('scripted')).length > 2, { describe: 'three checks' });
  await ingress.stop();
  const reported = logged.filter((line) => line.includes('a route is not served as it should be'));
  expect(reported).toEqual([expect.stringContaining('instance shop, route web: tls auto needs a single node')]);
});
