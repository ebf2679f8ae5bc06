import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { lifecycle } from '../actions/built-in.ts';
import type { BuiltInHandlers } from '../actions/handlers.ts';
import type { Turns } from '../concurrency/turns.ts';
import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { RelayTo } from '../instances/ways.ts';
import type { Journal } from '../journal/journal.ts';
import { prune } from '../prune/prune.ts';
import { smokeInstance } from '../smoke/smoke-action.ts';
import type { ViewOf } from '../swarm/instance-views.ts';
import { swarmLifecycle } from '../swarm/lifecycle.ts';
import { changeNode } from '../swarm/node-change.ts';

export interface BuiltInParts extends Pick<BuiltInHandlers, 'backups'> {
  engine: Engine;
  /** The Swarm that this daemon drives; undefined on a plain server. */
  cluster?: Cluster | undefined;
  viewOf?: ViewOf;
  /** Reaches tasks of a cluster that have no address on this machine. */
  relayTo?: RelayTo | undefined;
  journal: Journal;
  turns: Turns;
  serverId(): string;
}

/** Registers the handlers of all built-in actions. */
export const builtInHandlers = ({
  engine,
  cluster,
  viewOf = async () => ({ engine, cluster }),
  relayTo,
  journal,
  turns,
  serverId,
  backups,
}: BuiltInParts): BuiltInHandlers => ({
  instance: {
    ...(cluster ? swarmLifecycle(cluster, viewOf) : lifecycle),
    [builtIn.smoke]: (context) => smokeInstance(context, relayTo),
  },
  server: {
    [builtIn.prune]: (params) => prune({ engine, journal, turns, serverId: serverId(), params }),
    [builtIn.node]: (params) => changeNode(cluster, params),
  },
  backups,
});
