import type { Manifest, ManifestComponent, ManifestRoute } from '@hortus/contract/template/manifest';
import { servesPlainHttp } from '../resolution/route-address.ts';

/** Label of the nodes of a Swarm that serve routes. */
export const INGRESS_LABEL = 'hortus.ingress';
const ADD_INGRESS_LABEL = `docker node update --label-add ${INGRESS_LABEL}=true <node>`;

/** A node of a Swarm, as far as its loss concerns an instance. */
export interface LosableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether it is ready and takes tasks. */
  readonly usable: boolean;
}

export interface PlacedComponent {
  readonly name: string;
  readonly replicas: number;
  /** Labels that its nodes must have. */
  readonly constraints: Readonly<Record<string, string>>;
  /** Whether it has volumes, the name of their node if it is known, and whether a backup brings them back. */
  readonly pinned?: { readonly node?: string | undefined; readonly restored?: boolean } | undefined;
}

/** Says for each component what the loss of a node would mean, before it happens. */
export function nodeLossLines(components: readonly PlacedComponent[], nodes: readonly LosableNode[]): string[] {
  const usable = nodes.filter((node) => node.usable);
  if (usable.length === 0) return ['No node of the Swarm can run tasks now; they wait for one'];
  if (usable.length === 1) return [`Only node ${usable[0]?.name} can run tasks: its loss stops the whole instance`];
  return components.map((component) => lineOf(component, usable));
}

function lineOf({ name, replicas, constraints, pinned }: PlacedComponent, usable: readonly LosableNode[]): string {
  if (pinned) {
    const node = pinned.node === undefined ? `the node of the volumes of ${name}` : `node ${pinned.node}`;
    if (pinned.restored)
      return `If ${node} is lost for a minute, ${name} is restored on another one from its last verified backup: what was written since is missing. Without such a backup it is down until the node is back`;
    return `If ${node} is lost, ${name} is down until it is back, because its volumes are there`;
  }
  const [only, ...others] = usable.filter(({ labels }) =>
    Object.entries(constraints).every(([key, value]) => labels[key] === value),
  );
  if (only === undefined) return `No node has the labels of the placement of ${name}; its tasks wait for one`;
  if (others.length === 0)
    return `If node ${only.name} is lost, ${name} is down: no other node has the labels of its placement`;
  if (replicas === 1) return `If the node of ${name} is lost, the Swarm starts it on another one`;
  return `If a node is lost, ${name} keeps serving with the tasks of the others`;
}

export const ingressNodes = <Node extends Pick<LosableNode, 'labels'>>(nodes: readonly Node[]): Node[] =>
  nodes.filter(({ labels }) => labels[INGRESS_LABEL] === 'true');

/** Says what the loss of a node would mean for the routes of an instance. */
export function ingressLossLines(nodes: readonly LosableNode[]): string[] {
  const names = ingressNodes(nodes)
    .filter(({ usable }) => usable)
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) return ['No node of the ingress is ready: the routes are not served until one is'];
  if (names.length === 1)
    return [`If node ${names[0]} is lost, no route is served: it is the only node of the ingress`];
  return [
    `If one of the nodes ${names.join(', ')} is lost, the others serve the routes; requests must reach them by DNS or a load balancer`,
  ];
}

interface RoutedManifest {
  readonly routes: readonly Pick<ManifestRoute, 'name' | 'component' | 'host' | 'tls'>[];
  readonly components: readonly Pick<ManifestComponent, 'name' | 'network'>[];
}

/** Names routes that the ingress of a Swarm cannot serve. */
export function unroutable(
  { routes, components }: RoutedManifest,
  nodes: readonly Pick<LosableNode, 'labels'>[],
): string[] {
  const [first] = routes;
  if (first === undefined) return [];
  const count = ingressNodes(nodes).length;
  if (count === 0)
    return [
      `route ${first.name}: no node of the Swarm has the label ${INGRESS_LABEL}=true; add it with ${ADD_INGRESS_LABEL}`,
    ];
  return routes.flatMap((route) => {
    const target = components.find(({ name }) => name === route.component);
    if (target?.network === 'host')
      return [`route ${route.name}: ${route.component} uses the network of its node; use its port there`];
    if (route.tls !== 'auto' || servesPlainHttp(route) || count === 1) return [];
    return [
      `route ${route.name}: tls auto needs a single node with the label ${INGRESS_LABEL}=true, because nodes share no certificates and ${count} have it; keep the label on one node, or set tls to internal or off`,
    ];
  });
}

/** Warnings of a plan for a cluster: what would be refused, and what the loss of a node means. Empty for unknown nodes. */
export function clusterWarnings(manifest: Manifest, nodes: readonly LosableNode[]): string[] {
  if (nodes.length === 0) return [];
  const services = manifest.components.filter(({ kind }) => kind === 'service');
  const placed = services.map(({ name, replicas, placement, storage, on_node_loss }): PlacedComponent => {
    const hasVolumes = storage.some(({ volume }) => volume !== undefined);
    const pinned = hasVolumes && { pinned: { restored: on_node_loss === 'restore' } };
    return { name, replicas, constraints: placement?.constraints ?? {}, ...pinned };
  });
  const refused = unroutable(manifest, nodes).map((line) => `The deployment will be refused: ${line}`);
  const lost = manifest.routes.length > 0 && refused.length === 0 ? ingressLossLines(nodes) : [];
  return [...refused, ...nodeLossLines(placed, nodes), ...lost].map((line) => `${line}.`);
}
