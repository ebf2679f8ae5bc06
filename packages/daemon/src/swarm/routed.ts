import type { Manifest } from '@hortus/contract/template/manifest';
import { answersPlainHttp } from '@hortus/template/resolution/route-address';
import type { JoinedNetwork, NodeFacts, ServiceFacts } from '../engine/cluster.ts';
import type { InstanceRule } from '../ingress/cluster-routes.ts';
import type { Desired, Unit } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import type { RouteRule } from '../plan/routes.ts';
import { ingressName } from './ingress-document.ts';
import { INGRESS_LABEL, INGRESS_NETWORK } from './ingress-names.ts';
import { ingressNodes } from './ingress-nodes.ts';
import { NotOnSwarm } from './limitations.ts';

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
  const { routes } = desired;
  if (routes.length === 0) return;
  const labelled = ingressNodes(nodes);
  if (labelled.length === 0)
    throw new NotOnSwarm(
      `route ${routes[0]?.name}: no node of the Swarm has the label ${INGRESS_LABEL}=true; add it with docker node update --label-add ${INGRESS_LABEL}=true <node>`,
    );
  for (const route of routes) {
    const target = manifest.components.find(({ name }) => name === route.component);
    if (target?.network === 'host')
      throw new NotOnSwarm(`route ${route.name}: ${route.component} uses the network of its node; use its port there`);
    if (needsPublicCertificate(route) && labelled.length > 1)
      throw new NotOnSwarm(
        `route ${route.name}: tls auto needs a single node with the label ${INGRESS_LABEL}=true, because nodes share no certificates and have ${labelled.length}; keep the label on one node, or set tls to internal or off`,
      );
  }
  requireOwnNames(desired, managed, served);
}

const needsPublicCertificate = (route: RouteRule): boolean => route.tls === 'auto' && !answersPlainHttp(route);

/**
 * Rejects names that would lead into another instance. Routed components of all instances share a network, on which each
 * service has its name: a component that has no tasks now would resolve to a service of that name.
 */
function requireOwnNames(
  { instanceUid, routes, units }: Desired,
  managed: readonly ServiceFacts[],
  served: readonly InstanceRule[],
): void {
  const others = managed.filter(({ labels }) => labels[label.instance] !== instanceUid);
  const isServed = ({ labels }: ServiceFacts) =>
    served.some((rule) => rule.instanceUid === labels[label.instance] && rule.component === labels[label.component]);
  const foreign = new Set(others.filter(isServed).map(({ name }) => name));
  const shadowed = units.flatMap(({ aliases }) => aliases).find((alias) => foreign.has(alias));
  const [first] = routes;
  if (shadowed !== undefined)
    throw new NotOnSwarm(`route ${first?.name}: ${shadowed} is also the name of a routed service of another instance`);
  const mine = new Set(
    units.filter(({ component }) => routes.some((route) => route.component === component)).map(({ spec }) => spec.name),
  );
  const clash = others.find(({ labels }) => mine.has(labels[label.component] ?? ''));
  if (clash)
    throw new NotOnSwarm(
      `route ${first?.name}: the service ${clash.labels[label.component]} would have the name of a component of instance ${clash.labels[label.instance]}; choose another instance name`,
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

/** Says what the loss of a node means for the routes. */
export function ingressLossLines({ routes }: Pick<Desired, 'routes'>, nodes: readonly NodeFacts[]): string[] {
  if (routes.length === 0) return [];
  const usable = ingressNodes(nodes).filter(({ state }) => state === 'ready');
  const [only] = usable;
  if (only === undefined) return ['No node of the ingress is ready: the routes are not served until one is'];
  const names = usable
    .map(({ name }) => name)
    .sort()
    .join(', ');
  if (usable.length === 1)
    return [`If node ${only.name} is lost, no route is served: it is the only node of the ingress`];
  return [
    `If one of the nodes ${names} is lost, the others serve the routes; requests must reach them by DNS or a load balancer`,
  ];
}
