import type { Manifest } from '@hortus/contract/template/manifest';
import { ingressNodes, unroutable } from '@hortus/template/rollout/node-loss';
import type { JoinedNetwork, NodeFacts, ServiceFacts } from '../engine/cluster.ts';
import type { InstanceRule } from '../ingress/cluster-routes.ts';
import type { Desired, Unit } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { requireFree } from '../rollout/failure.ts';
import { ingressName } from './ingress-document.ts';
import { INGRESS_NETWORK } from './ingress-names.ts';
import { NotOnSwarm } from './limitations.ts';
import { takenIn } from './route-records.ts';

/**
 * Components on the network of the ingress: those with a route, and those that lose theirs with this deployment. The latter
 * leave it with the next one, because requests reach them until the routes have changed.
 */
export function routedComponents(
  { instanceUid, routes }: Pick<Desired, 'instanceUid' | 'routes'>,
  served: readonly InstanceRule[],
): Set<string> {
  const own = served.filter((rule) => rule.instanceUid === instanceUid);
  return new Set([...routes, ...own].map(({ component }) => component));
}

/** Network that a routed component joins beside that of its instance. */
export const ingressNetworkOf = (uid: string, { component }: Unit): JoinedNetwork => ({
  name: INGRESS_NETWORK,
  aliases: [ingressName(uid, component)],
});

export interface Routing {
  manifest: Pick<Manifest, 'components'>;
  desired: Desired;
  nodes: readonly NodeFacts[];
  /** Services of all instances. */
  managed: readonly ServiceFacts[];
  /** Routes of all instances. */
  served: readonly InstanceRule[];
}

/** Rejects routes that the ingress of the Swarm cannot serve, before anything changes. */
export function requireRoutable({ manifest, desired, nodes, managed, served }: Routing): void {
  if (desired.routes.length === 0) return;
  const [refused] = unroutable({ ...manifest, routes: desired.routes }, nodes);
  if (refused !== undefined) throw new NotOnSwarm(refused);
  requireFree({ taken: (uid, wanted) => takenIn(served, uid, wanted) }, desired.instanceUid, desired.routes);
  requireOwnNames(desired, managed);
}

/**
 * Rejects names that would lead into another instance. Components of all instances share the network of the ingress, on which each
 * service has its name: a component that has no tasks now would resolve to a service of that name. Services are on it
 * from before they get a route until after they have lost it, so their networks decide and not the routes.
 */
function requireOwnNames({ instanceUid, routes, units }: Desired, managed: readonly ServiceFacts[]): void {
  const others = managed.filter(({ labels }) => labels[label.instance] !== instanceUid);
  const isJoined = ({ labels, aliases }: ServiceFacts) =>
    aliases.includes(ingressName(labels[label.instance] ?? '', labels[label.component] ?? ''));
  const foreign = new Set(others.filter(isJoined).map(({ name }) => name));
  const shadowed = units.flatMap(({ aliases }) => aliases).find((alias) => foreign.has(alias));
  const [first] = routes;
  if (shadowed !== undefined)
    throw new NotOnSwarm(
      `route ${first?.name}: ${shadowed} is also the name of a service of another instance on the network of the ingress`,
    );
  const mine = new Set(
    units.filter(({ component }) => routes.some((route) => route.component === component)).map(({ spec }) => spec.name),
  );
  const namesOf = ({ labels, aliases }: ServiceFacts) => [labels[label.component] ?? '', ...aliases];
  const clash = others.find((service) => namesOf(service).some((name) => mine.has(name)));
  if (clash)
    throw new NotOnSwarm(
      `route ${first?.name}: the service ${namesOf(clash).find((name) => mine.has(name))} would have the name of a component of instance ${clash.labels[label.instance]}; choose another instance name`,
    );
}

/** Says what the ingress of a Swarm does less well than that of a plain server. */
export function routingLosses({ routes }: Pick<Desired, 'routes'>, nodes: readonly NodeFacts[]): string[] {
  const internal = routes.filter(({ tls }) => tls === 'internal').map(({ name }) => name);
  if (internal.length === 0 || ingressNodes(nodes).length < 2) return [];
  return [
    `tls internal of route ${internal.join(', ')}: each node of the ingress has a certificate authority of its own`,
  ];
}
