import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { type LosableNode, nodeLossLines, type PlacedComponent } from '@hortus/template/rollout/node-loss';
import type { NodeFacts } from '../engine/cluster.ts';
import type { DesiredService } from './desired-services.ts';
import { labelsIn } from './placement.ts';

export const losable = ({ name, labels, state, availability }: NodeFacts): LosableNode => ({
  name,
  labels,
  usable: state === 'ready' && availability === 'active',
});

/** Says for each service what the loss of a node would mean, before it happens. */
export function serviceLossLines(
  services: readonly DesiredService[],
  nodes: readonly NodeFacts[],
  components: readonly Pick<ManifestComponent, 'name' | 'on_node_loss'>[] = [],
): string[] {
  const isRestored = (name: string) =>
    components.some((component) => component.name === name && component.on_node_loss === 'restore');
  const nameOf = (id: string) => nodes.find((node) => node.id === id)?.name ?? id;
  const placed = services
    .filter(({ unit }) => unit.kind === 'service')
    .map(
      ({ unit, node, replicas, spec }): PlacedComponent => ({
        name: unit.component,
        replicas,
        constraints: labelsIn(spec.constraints),
        pinned: node === undefined ? undefined : { node: nameOf(node), restored: isRestored(unit.component) },
      }),
    );
  return nodeLossLines(placed, nodes.map(losable));
}
