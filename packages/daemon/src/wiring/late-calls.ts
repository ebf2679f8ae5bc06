import { receive } from '../link/receive.ts';
import { readDeployedManifests } from '../swarm/deployed-manifests.ts';
import type { Base } from './base.ts';
import type { Swarm } from './cluster.ts';
import type { Data } from './data.ts';
import type { Engines } from './engine.ts';
import type { LateCalls } from './late.ts';
import type { Leader } from './leader.ts';
import type { Link } from './link.ts';
import type { Reports } from './reports.ts';
import type { Upkeep } from './upkeep.ts';
import type { Work } from './work.ts';

/** Closes the cycles between the parts, once all of them exist. */
export function lateCalls(parts: Base & Leader & Swarm & Engines & Link & Upkeep & Data & Work & Reports): LateCalls {
  const { takeover, cluster, tunnels, relays, containerLogs, channel, results, updater, observer, drift } = parts;
  const { transfers, actions, deployments, poller, nodeReports, diagnostics, dialBack } = parts;
  /** Exchanges with the service what one of them may have missed. */
  const settle = () => {
    results.settle();
    deployments.settle();
    poller.wake();
    observer.all();
    drift.all();
  };
  return {
    send: (message) => channel.send(message),
    beginTerm: (term) => takeover.begin(term),
    endTerm: () => {
      takeover.lost();
      deployments.suspend();
      actions.suspend();
      transfers.suspend();
      dialBack.end(['logs', 'metrics']);
    },
    catchUp: async () => {
      await tunnels?.closeAll();
      if (cluster) await readDeployedManifests({ ...parts, cluster });
    },
    actInTerm: () => {
      void relays?.sweep();
      parts.resume();
      settle();
      containerLogs.changed(undefined);
      void nodeReports.report();
    },
    reclaimNetworks: () => parts.extraNetworks.sweep(),
    receive: (message) => receive(message, parts),
    connected: () => {
      takeover.reconnected();
      if (parts.leads()) settle();
      updater.connected();
      diagnostics.connected();
    },
  };
}
