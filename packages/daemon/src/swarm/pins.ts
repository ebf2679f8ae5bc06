import type { Cluster, NodeFacts, ServiceFacts } from '../engine/cluster.ts';
import { label } from '../plan/labels.ts';
import { NotOnSwarm } from './limitations.ts';

/** Label of the record that says on which node the volumes of an instance are. */
const PINNED_TO = 'hortus.pinned_to';

const CONSTRAINT = /^node\.id\s*==\s*(\w+)$/;

export const pinTo = (node: string): string => `node.id==${node}`;

export function pinOf({ constraints }: Pick<ServiceFacts, 'constraints'>): string | undefined {
  return constraints.flatMap((constraint) => CONSTRAINT.exec(constraint)?.[1] ?? [])[0];
}

/**
 * Reads the node of the volumes of an instance. The record is in the store of the Swarm, because only a service knows its
 * node otherwise, and a release removes services but keeps volumes.
 */
export async function recordedPin(cluster: Cluster, uid: string): Promise<string | undefined> {
  const records = await cluster.contents('configs', { labels: { [PINNED_TO]: true, [label.instance]: uid } });
  return records[0]?.labels[PINNED_TO];
}

export async function recordPin(cluster: Cluster, own: Record<string, string>, node: string): Promise<void> {
  const uid = own[label.instance] ?? '';
  if ((await recordedPin(cluster, uid)) !== undefined) return;
  const labels = { ...own, [PINNED_TO]: node };
  await cluster.createContent('configs', { name: `hortus-pin.${uid}`, labels, data: Buffer.from(node) });
}

/** Forgets the node of an instance whose volumes were removed. */
export async function forgetPin(cluster: Cluster, uid: string): Promise<void> {
  const records = await cluster.contents('configs', { labels: { [PINNED_TO]: true, [label.instance]: uid } });
  for (const { id } of records) await cluster.removeContent('configs', id);
}

/** The node of the volumes of an instance, if that is not this one. */
export async function elsewhere(cluster: Cluster, uid: string): Promise<Pick<NodeFacts, 'id' | 'name'> | undefined> {
  const [pin, here] = await Promise.all([recordedPin(cluster, uid), cluster.membership()]);
  if (pin === undefined || pin === here?.nodeId) return undefined;
  return (await cluster.nodes()).find(({ id }) => id === pin) ?? { id: pin, name: pin };
}

/** Chooses the node for new volumes: the one with the fewest pinned services, this node among equals. */
export function chooseNode(nodes: readonly NodeFacts[], services: readonly ServiceFacts[], here: string): NodeFacts {
  const usable = nodes.filter(({ state, availability }) => state === 'ready' && availability === 'active');
  const load = (id: string) => services.filter((service) => pinOf(service) === id).length;
  const [best] = usable.toSorted(
    (a, b) => load(a.id) - load(b.id) || Number(b.id === here) - Number(a.id === here) || (a.name < b.name ? -1 : 1),
  );
  if (best === undefined)
    throw new NotOnSwarm(
      'No node of the Swarm is ready, active and has the labels that the placement requires; change one and deploy again',
    );
  return best;
}

/** Rejects a pin to a node that cannot run tasks: the Swarm would wait for it silently. */
export function requireNode(nodes: readonly NodeFacts[], id: string): NodeFacts {
  const node = nodes.find((node) => node.id === id);
  const advice = 'bring the node back, or restore the data elsewhere';
  if (node === undefined) throw new NotOnSwarm(`The volumes are on node ${id}, which left the Swarm; ${advice}`);
  const { state, availability, name } = node;
  if (state !== 'ready') throw new NotOnSwarm(`The volumes are on node ${name}, which is ${state}; ${advice}`);
  if (availability === 'drain')
    throw new NotOnSwarm(`The volumes are on node ${name}, which is drained; activate it first`);
  return node;
}
