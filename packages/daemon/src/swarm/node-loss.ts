import type { NodeFacts } from '../engine/cluster.ts';
import type { DesiredService } from './desired-services.ts';
import { meets } from './placement.ts';

/** Says for each service what the loss of a node would mean, before it happens. */
export function nodeLossLines(services: readonly DesiredService[], nodes: readonly NodeFacts[]): string[] {
  const usable = nodes.filter(({ state, availability }) => state === 'ready' && availability === 'active');
  if (usable.length === 0) return ['No node of the Swarm can run tasks now; they wait for one'];
  if (usable.length === 1) return [`Only node ${usable[0]?.name} can run tasks: its loss stops the whole instance`];
  return services.filter(({ unit }) => unit.kind === 'service').map((service) => lineOf(service, usable));
}

function lineOf({ unit, node, replicas, spec }: DesiredService, usable: readonly NodeFacts[]): string {
  const { component } = unit;
  const fitting = usable.filter((one) => (node === undefined ? meets(spec.constraints, one) : one.id === node));
  const [only] = fitting;
  if (node !== undefined)
    return `If node ${only?.name ?? node} is lost, ${component} is down until it is back, because its volumes are there`;
  if (only === undefined) return `No node has the labels of the placement of ${component}; its tasks wait for one`;
  if (fitting.length === 1)
    return `If node ${only.name} is lost, ${component} is down: no other node has the labels of its placement`;
  if (replicas === 1) return `If the node of ${component} is lost, the Swarm starts it on another one`;
  return `If a node is lost, ${component} keeps serving with the tasks of the others`;
}
