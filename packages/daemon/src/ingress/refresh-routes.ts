import type { Engine } from '../engine/engine.ts';
import { addressOf } from '../instances/address.ts';
import type { Ingress } from './ingress.ts';

/**
 * Updates the routes of an instance to the current addresses of its containers, which may change with every start.
 * Removes the routes of a released instance. No other operation may run on the instance meanwhile.
 */
export async function refreshRoutes(
  engine: Pick<Engine, 'inspect'>,
  ingress: Ingress,
  uid: string,
  isReleased: boolean,
): Promise<void> {
  const routes = ingress.routesOf(uid);
  if (routes.length === 0) return;
  let changed = false;
  let found = 0;
  const now = [];
  for (const route of routes) {
    const targets = [];
    for (const { container, address: before } of route.targets) {
      const facts = await engine.inspect(container);
      if (facts !== undefined) found++;
      const host = facts?.state === 'running' ? addressOf(facts) : undefined;
      const address = host === undefined ? undefined : `${host}:${route.port}`;
      changed ||= address !== before;
      targets.push({ container, address });
    }
    now.push({ ...route, targets });
  }
  if (found === 0 && isReleased) await ingress.lead(uid, []);
  else if (changed) await ingress.lead(uid, now);
}
