import type { BuiltInParams, builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Cluster } from '../engine/cluster.ts';
import { type ActionOutcome, failure, success } from '../journal/action.ts';

/** Drains a node of the Swarm, or lets it take tasks again. Idempotent. */
export async function changeNode(
  cluster: Cluster | undefined,
  params: Readonly<Record<string, unknown>>,
): Promise<ActionOutcome> {
  if (!cluster) return failure('This daemon drives single containers, not a Swarm; start it with --cluster.');
  // The form of params was checked with that of all built-in actions.
  const { node_id, availability } = params as BuiltInParams<typeof builtIn.node>;
  try {
    const node = (await cluster.nodes()).find(({ id }) => id === node_id);
    if (!node) return failure(`The Swarm has no node ${node_id}.`);
    await cluster.changeNode(node_id, availability);
    return success(availability === 'drain' ? `${node.name} is drained.` : `${node.name} takes tasks again.`);
  } catch (error) {
    return failure((error as Error).message);
  }
}
