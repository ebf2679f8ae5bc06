import { join } from 'node:path';
import { ContainerLogs } from '../container-logs/container-logs.ts';
import { settlingEngine } from '../container-logs/settling-engine.ts';
import { NetworkPool } from '../networks/network-pool.ts';
import { pooledEngine } from '../networks/pooled-engine.ts';
import { fencedEngine } from '../swarm/fence.ts';
import { instanceViews } from '../swarm/instance-views.ts';
import { swarmEngine } from '../swarm/swarm-engine.ts';
import type { Base } from './base.ts';
import type { Swarm } from './cluster.ts';
import type { Late, LateCalls } from './late.ts';
import type { Leader } from './leader.ts';
import type { NodeEngine } from './node-engine.ts';

export type Engines = ReturnType<typeof wireEngine>;

/**
 * Builds the engine that all other parts use. It is a stack of layers; a call goes through it from the top:
 *
 *     settling      stores the last output of a container before it is removed
 *     pooled        chooses the subnets of new networks
 *     swarm         in a cluster: shows the tasks of all nodes as containers
 *     fenced        in a cluster: refuses changes unless this daemon leads
 *     guarded       checks host mounts against the policy whenever a container is created or started
 *     substituting  if configured: creates containers from local images
 *     docker        calls the socket
 *
 * The order has reasons. No layer between the check of the policy and the engine changes mounts: substitution changes only
 * image and labels. The fence is below `swarm`: the Swarm has one of its own (`cluster.ts`), and of other nodes that layer makes
 * no call that a fence covers. Pool and logs are on top, because they use the networks and containers of all nodes themselves.
 */
export function wireEngine(parts: Base & Leader & NodeEngine & Swarm, late: Late<LateCalls>) {
  const { config, journal, serverId, log, leads, mayChange, check, checked, cluster, tunnels } = parts;
  const reaching = cluster ? swarmEngine(fencedEngine(checked, mayChange), cluster, tunnels) : checked;
  const networkPool = new NetworkPool({
    engine: reaching,
    pool: config.networkPool,
    reclaim: () => late.get().reclaimNetworks(),
    log,
  });
  const containerLogs = new ContainerLogs({
    engine: reaching,
    folder: join(config.stateDirectory, 'logs'),
    limits: config.logs,
    manifests: (uid, deploymentId) => {
      const running = deploymentId === undefined ? undefined : journal.deployments.find(deploymentId)?.manifest;
      return [journal.manifests.of(uid), running].filter((manifest) => manifest !== undefined);
    },
    serverId,
    collects: leads,
    log,
  });
  const engine = settlingEngine(pooledEngine(reaching, networkPool), containerLogs);
  const viewOf = instanceViews({
    engine,
    cluster,
    others: tunnels,
    wrap: (other) => fencedEngine(check(other), mayChange),
  });
  return { engine, viewOf, networkPool, containerLogs };
}
