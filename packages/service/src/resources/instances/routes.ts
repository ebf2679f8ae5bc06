import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { instanceEndpoints } from '@hortus/contract/resources/instances';
import type { Handlers } from '../../http/handler.ts';
import { actorOf } from '../../identity/principal.ts';
import type { Drifts } from './drift.ts';
import type { InstanceOrders, Ordered } from './orders.ts';
import { type Instances, scopeOf } from './service.ts';

const respond = (ordered: Ordered) => ({ success: true as const, ...ordered, data: ordered.instance });

export const instanceRoutes = (
  instances: Instances,
  orders: InstanceOrders,
  drifts: Drifts,
): Handlers<keyof typeof instanceEndpoints> => ({
  'instances.list': async ({ principal, query }) => {
    const { server_id: serverId, definition_id: definitionId, status, health, q, sort } = query;
    const filter = { accountId: principal.accountId, serverId, definitionId, status, health, q };
    return { success: true, ...(await instances.list(filter, query, sort)) };
  },
  'instances.stats': async ({ principal, query }) => ({
    success: true,
    data: await instances.stats(principal.accountId, query.days),
  }),
  'instances.read': async ({ principal, params }) => ({
    success: true,
    data: await instances.read(principal, params.id),
  }),
  'instances.report': ({ principal, body, write }) => {
    const scope = { ...scopeOf(principal), actor: actorOf(principal) };
    return write(async (tx) => ({ success: true, data: await instances.report(tx, scope, body.instances) }));
  },
  'instances.syncComponents': ({ principal, body, write }) =>
    write(async (tx) => ({
      success: true,
      data: await instances.syncComponents(tx, principal, body.instance_id, body.components),
    })),
  'instances.drift': async ({ principal, params, body, write }) => {
    const drift = await drifts.prepare(principal, params.id, body.drift);
    return write(async (tx) => ({ success: true, data: await drifts.report(tx, principal, params.id, drift) }));
  },
  'instances.deployments': async ({ principal, params, query }) => ({
    success: true,
    ...(await instances.deployments(principal, params.id, query)),
  }),
  'instances.start': ({ principal, params, write }) =>
    write(async (tx) => respond(await orders.order(tx, principal, params.id, builtIn.start))),
  'instances.stop': ({ principal, params, write }) =>
    write(async (tx) => respond(await orders.order(tx, principal, params.id, builtIn.stop))),
  'instances.restart': ({ principal, params, write }) =>
    write(async (tx) => respond(await orders.order(tx, principal, params.id, builtIn.restart))),
  'instances.smoke': ({ principal, params, write }) =>
    write(async (tx) => respond(await orders.order(tx, principal, params.id, builtIn.smoke))),
  'instances.release': ({ principal, params, body, write }) =>
    write(async (tx) => respond(await orders.release(tx, principal, params.id, body))),
});
