import type { Actions } from '../resources/actions/service.ts';
import { restoreLater } from '../resources/backups/lost-node.ts';
import { ClusterNodes } from '../resources/clusters/nodes/nodes.ts';
import { containerNamesOn, requireUnbound } from '../resources/definitions/public.ts';
import { healSoon } from '../resources/deployments/heal.ts';
import { Drifts, type DriftsDeps } from '../resources/instances/drift.ts';
import { Pauses } from '../resources/instances/of-tenant.ts';
import { InstanceOrders } from '../resources/instances/orders.ts';
import { livingWithNamesOn } from '../resources/instances/public.ts';
import type { Instances } from '../resources/instances/service.ts';
import { requireSettled } from '../resources/migrations/settled.ts';
import { Prunes } from '../resources/servers/prune.ts';
import type { SharedDependencies } from './dependencies.ts';

interface OrderParts extends Pick<DriftsDeps, 'secretsOf'> {
  readonly instances: Instances;
  readonly actions: Actions;
}

/** Creates what orders actions on instances and servers: life cycle, pauses, healing, lost nodes and pruning. */
export function makeOrders(
  { storage: { reader }, catalog }: SharedDependencies,
  { instances, actions, secretsOf }: OrderParts,
) {
  const drifts = new Drifts({ reader, instances, secretsOf, heal: healSoon });
  const orders = new InstanceOrders({
    requireSettled,
    requireUnbound,
    instances,
    catalog,
    order: (tx, order) => actions.order(tx, order),
    done: (tx, order) => actions.done(tx, order),
  });
  const pauses = new Pauses({
    lastWanted: (...args) => actions.lastWanted(...args),
    order: (tx, order) => actions.order(tx, order),
    withdraw: (tx, ...args) => actions.withdraw(tx, ...args),
  });
  const nodes = new ClusterNodes({
    reader,
    order: (tx, order) => actions.orderOnServer(tx, order),
    lost: restoreLater,
  });
  const prunes = new Prunes({
    livingOn: async (queries, id) => {
      const there = (await livingWithNamesOn(queries, id)).map(({ container_name }) => container_name);
      return [...new Set([...there, ...(await containerNamesOn(queries, id))])];
    },
    order: (tx, order) => actions.orderOnServer(tx, order),
  });
  return { drifts, orders, pauses, prunes, nodes };
}
