import { join } from 'node:path';
import { openDockerCluster } from '../engine/docker/docker-cluster.ts';
import type { RelayTo } from '../instances/ways.ts';
import { fencedCluster } from '../swarm/fence.ts';
import { NodeTunnels } from '../tunnel/node-tunnels.ts';
import { TaskRelays } from '../tunnel/task-relays.ts';
import type { Base } from './base.ts';
import type { Leader } from './leader.ts';
import type { NodeEngine } from './node-engine.ts';

export type Swarm = ReturnType<typeof wireCluster>;

/** Opens the Swarm that this daemon drives, and the ways to its other nodes; none of them exists on a plain server. */
export function wireCluster(parts: Base & Leader & NodeEngine) {
  const { config, journal, serverId, log, leadership, mayChange, mayPrepare, socket, checked, openUnchecked } = parts;
  if (!config.cluster) return { cluster: undefined, tunnels: undefined, relays: undefined, relayTo: undefined };
  const swarm = openDockerCluster(socket);
  const relaying = {
    cluster: fencedCluster(swarm, mayPrepare),
    engine: checked,
    image: config.tunnelImage,
    serverId,
    log,
  };
  const tunnels = new NodeTunnels({
    ...relaying,
    folder: join(config.stateDirectory, 'nodes'),
    open: openUnchecked,
    leads: () => leadership.leads(),
    busy: () => journal.executions.unfinished().length > 0,
  });
  const relays = new TaskRelays({ ...relaying, folder: join(config.stateDirectory, 'relays') });
  const relayTo: RelayTo = (to, signal) => relays.open(to, signal);
  return { cluster: fencedCluster(swarm, mayChange), tunnels, relays, relayTo };
}
