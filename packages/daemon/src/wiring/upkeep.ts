import type { Turns } from '../concurrency/turns.ts';
import { DriftWatch } from '../drift/drift-watch.ts';
import { refreshRoutes } from '../ingress/refresh-routes.ts';
import { Observer } from '../link/observer.ts';
import { ExtraNetworks } from '../networks/extra-networks.ts';
import type { Base } from './base.ts';
import type { Swarm } from './cluster.ts';
import type { Engines } from './engine.ts';
import type { Leader } from './leader.ts';
import type { Link } from './link.ts';
import type { Routing } from './routing.ts';

export type Upkeep = ReturnType<typeof wireUpkeep>;

/** Watches what is deployed: reports its state, its drift, and removes networks that it no longer uses. */
export function wireUpkeep(parts: Base & Leader & Swarm & Engines & Routing & Link & { turns: Turns }) {
  const { config, journal, serverId, log, leads, cluster, engine, containerLogs, ingress, follow, service, turns } =
    parts;
  const extraNetworks = new ExtraNetworks({ engine, turns, serverId, log });
  const drift = new DriftWatch({
    cluster,
    journal,
    engine,
    ingress,
    service,
    turns,
    log,
    everyMs: config.driftEveryMs,
    refresh: (uid) => refreshRoutes(engine, ingress, uid, false),
  });
  const observer = new Observer({
    engine,
    service,
    journal,
    log,
    serverId,
    busy: (uid) => turns.busy(uid),
    leads,
    onEvent: (uid) => {
      follow(uid);
      drift.changed(uid);
      containerLogs.changed(uid);
    },
  });
  return { extraNetworks, drift, observer };
}
