import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { elsewhere } from './pins.ts';
import { type OtherNodes, swarmEngine } from './swarm-engine.ts';

/** Engine and Swarm as a daemon would see them on the node that holds the volumes of an instance. */
export interface InstanceView {
  engine: Engine;
  /** Undefined on a plain server. */
  cluster: Cluster | undefined;
}

/** Returns the view for an instance; rejects if the node of its volumes cannot be reached. */
export type ViewOf = (uid: string) => Promise<InstanceView>;

export interface InstanceViewsOptions {
  /** The engine of this node, as all parts of the daemon use it. */
  engine: Engine;
  cluster: Cluster | undefined;
  others: OtherNodes | undefined;
  /** Adds to the engine of another node what that of this node has, such as the checks of the policy. */
  wrap(engine: Engine): Engine;
}

export const instanceViews =
  ({ engine, cluster, others, wrap }: InstanceViewsOptions): ViewOf =>
  async (uid) => {
    const node = cluster && (await elsewhere(cluster, uid));
    if (!cluster || !others || node === undefined) return { engine, cluster };
    const seen = seenFrom(cluster, node.id);
    return { engine: swarmEngine(wrap(await others.engineOf(node.id)), seen, others), cluster: seen };
  };

/** The same Swarm with another node as the own one. Tasks there have no address that this daemon reaches. */
const seenFrom = (cluster: Cluster, nodeId: string): Cluster => ({
  ...cluster,
  membership: async () => ({ nodeId, isManager: true }),
  localAddresses: async () => new Map(),
});
