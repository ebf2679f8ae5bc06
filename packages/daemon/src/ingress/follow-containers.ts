import type { Turns } from '../concurrency/turns.ts';
import type { Engine } from '../engine/engine.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Ingress } from './ingress.ts';
import { refreshRoutes } from './refresh-routes.ts';

export interface Following {
  engine: Engine;
  ingress: Ingress;
  journal: Journal;
  turns: Turns;
  log: Log;
}

/**
 * Updates routes to the current addresses of containers, for one instance or all. Skips an instance with another
 * operation running, which updates its routes itself.
 */
export function followContainers({ engine, ingress, journal, turns, log }: Following, only: string | undefined): void {
  const { manifests, routes } = journal;
  const routed = new Set(routes.all().map(({ instanceUid }) => instanceUid));
  for (const uid of routed) {
    if ((only !== undefined && only !== uid) || turns.busy(uid)) continue;
    const refresh = () => refreshRoutes(engine, ingress, uid, manifests.of(uid) === undefined);
    turns
      .take(uid, refresh)
      .catch((error: Error) => log.debug({ instance: uid, err: error }, 'routes could not be updated'));
  }
}
