import type { ManifestComponent, ManifestRoute } from '@hortus/contract/template/manifest';
import { describe, expect, it } from 'vitest';
import type { NodeFacts } from '../engine/cluster.ts';
import type { InstanceRule } from '../ingress/cluster-routes.ts';
import { desiredState } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { id } from '../testing/signing.ts';
import { desiredServices } from './desired-services.ts';
import { ingressName } from './ingress-document.ts';
import { INGRESS_NETWORK } from './ingress-names.ts';
import { requireRoutable, routedComponents, routingLosses } from './routed.ts';
import { service } from './testing/swarm-facts.ts';

const node = (name: string, labels: Record<string, string> = { 'hortus.ingress': 'true' }): NodeFacts => ({
  id: name,
  name,
  state: 'ready',
  availability: 'active',
  role: 'worker',
  isLeader: false,
  address: '10.0.0.1',
  labels,
  cpus: 2,
  memoryBytes: 1,
});

const route = (overrides: Partial<ManifestRoute> = {}): ManifestRoute => ({
  ...{ name: 'web', component: 'main', port: 80, host: 'a.test', path: '/', strip: false, tls: 'off' },
  ...{ primary: true, url: '' },
  ...overrides,
});

function wanted(uid: string, routes: ManifestRoute[], components: ManifestComponent[] = [component('main')]) {
  const overrides = manifest(uid, components, { routes });
  const from = { deploymentId: 'dep', definitionId: id('def'), revision: 1, serverId: 'srv', manifest: overrides };
  return { manifest: overrides, desired: desiredState(from) };
}

const rule = (instanceUid: string, name: string): InstanceRule => ({
  ...{ instanceUid, name: 'web', component: name, port: 80 },
  ...{ host: 'b.test', path: '/', strip: false, tls: 'off' },
});

const other = (uid: string, part: string, name: string, aliases: string[] = []) =>
  service({ name, aliases, labels: { [label.instance]: uid, [label.component]: part } });

describe('routes on a Swarm', () => {
  const nothing = { managed: [], served: [] };

  it('need a node with the label, which the error names', () => {
    const nodes = [node('n1', {}), node('n2', { 'hortus.ingress': 'false' })];
    expect(() => requireRoutable({ ...wanted('u', [route()]), nodes, ...nothing })).toThrow(
      'route web: no node of the Swarm has the label hortus.ingress=true',
    );
    expect(() => requireRoutable({ ...wanted('u', []), nodes, ...nothing })).not.toThrow();
  });

  it('are refused to a component on the network of its node', () => {
    const parts = [component('main', { network: 'host' })];
    expect(() => requireRoutable({ ...wanted('u', [route()], parts), nodes: [node('n1')], ...nothing })).toThrow(
      'route web: main uses the network of its node',
    );
  });

  it('get public certificates on a single node only, and own ones on each', () => {
    const [item, two] = [[node('n1')], [node('n1'), node('n2')]];
    const auto = wanted('u', [route({ tls: 'auto' })]);
    expect(() => requireRoutable({ ...auto, nodes: item, ...nothing })).not.toThrow();
    expect(() => requireRoutable({ ...auto, nodes: two, ...nothing })).toThrow(
      'route web: tls auto needs a single node',
    );
    const local = wanted('u', [route({ tls: 'auto', host: 'shop.localhost' })]);
    expect(() => requireRoutable({ ...local, nodes: two, ...nothing })).not.toThrow();
    const { desired } = wanted('u', [route({ tls: 'internal' })]);
    expect(routingLosses(desired, item)).toEqual([]);
    expect(routingLosses(desired, two)).toEqual([expect.stringContaining('certificate authority of its own')]);
  });

  it('never make a name of one instance lead to another', () => {
    const nodes = [node('n1')];
    const parts = [component('main'), component('db', { host: 'db' })];
    const mine = wanted('shop', [route()], parts);
    // It may have lost its route since it joined the network.
    const joined = [other('db', 'main', 'db', ['main', ingressName('db', 'main')])];
    expect(() => requireRoutable({ ...mine, nodes, managed: joined, served: [] })).toThrow(
      'db is also the name of a service of another instance on the network of the ingress',
    );
    const apart = [other('db', 'main', 'db', ['main'])];
    expect(() => requireRoutable({ ...mine, nodes, managed: apart, served: [] })).not.toThrow();
    const named = wanted('cache', [route()]);
    expect(() => requireRoutable({ ...named, nodes, managed: [other('x', 'cache', 'x-cache')], served: [] })).toThrow(
      'the service cache would have the name of a component of instance x',
    );
    const called = [other('x', 'store', 'x-store', ['store', 'cache'])];
    expect(() => requireRoutable({ ...named, nodes, managed: called, served: [] })).toThrow(
      'the service cache would have the name of a component of instance x',
    );
  });
});

it('a component keeps its place on the network of the ingress until its routes have changed', () => {
  const parts = [component('main'), component('next')];
  const { desired, manifest: overrides } = wanted('u', [route({ component: 'next' })], parts);
  const networksWith = (served: InstanceRule[]) => {
    const routed = routedComponents(desired, served);
    const services = desiredServices(desired, overrides, { node: undefined, cpus: 2, logDriver: '', routed });
    return Object.fromEntries(services.map(({ unit, spec }) => [unit.component, spec.networks]));
  };
  const joined = (name: string) => [{ name: INGRESS_NETWORK, aliases: [ingressName('u', name)] }];
  expect(networksWith([rule('u', 'main')])).toEqual({ main: joined('main'), next: joined('next') });
  expect(networksWith([rule('other', 'main')])).toEqual({ main: [], next: joined('next') });
});
