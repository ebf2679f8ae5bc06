import type { NodeFacts } from '../engine/cluster.ts';
import type { DesiredService } from './desired-services.ts';

/** Says for each service what the loss of a node would mean, before it happens. */
export function nodeLossLines(services: readonly DesiredService[], nodes: readonly NodeFacts[]): string[] {
  const usable = nodes.filter(({ state, availability }) => state === 'ready' && availability === 'active');
  const lasting = services.filter(({ unit }) => unit.kind === 'service');
  if (usable.length === 0) return ['No node of the Swarm can run tasks now; they wait for one'];
  if (usable.length === 1) return [`Only node ${usable[0]?.name} can run tasks: its loss stops the whole instance`];
  return lasting.map(({ unit, node, replicas }) => {
    const name = nodes.find(({ id }) => id === node)?.name ?? node;
    if (node !== undefined)
      return `If node ${name} is lost, ${unit.component} is down until it is back, because its volumes are there`;
    if (replicas === 1) return `If the node of ${unit.component} is lost, the Swarm starts it on another one`;
    return `If a node is lost, ${unit.component} keeps serving with the tasks of the others`;
  });
}
