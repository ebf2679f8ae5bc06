import { join } from 'node:path';
import type { Turns } from '../concurrency/turns.ts';
import { followContainers } from '../ingress/follow-containers.ts';
import { Ingress, type IngressSettings } from '../ingress/ingress.ts';
import { SwarmIngress } from '../swarm/swarm-ingress.ts';
import type { Base } from './base.ts';
import type { Swarm } from './cluster.ts';
import type { Engines } from './engine.ts';
import type { Leader } from './leader.ts';

export type Routing = ReturnType<typeof wireRouting>;

/** Connects routes with containers: by a Caddy of this server, or by one on each node of a cluster. */
export function wireRouting(parts: Base & Leader & Swarm & Engines & { turns: Turns }, settings: IngressSettings) {
  const { config, journal, serverId, log, leads, cluster, engine, turns } = parts;
  const swarmIngress =
    cluster && new SwarmIngress({ ...settings, cluster, engine, image: config.ingressImage, serverId, leads, log });
  const ingress = new Ingress({
    ...settings,
    directory: join(config.stateDirectory, 'ingress'),
    routes: journal.routes,
    cluster: swarmIngress,
    log,
  });
  /** Corrects the addresses behind the routes of an instance, or of all. */
  const follow = (uid: string | undefined) => followContainers({ engine, ingress, journal, turns, log }, uid);
  return { ingress, follow };
}
