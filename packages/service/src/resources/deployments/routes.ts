import type { DefinitionCreate } from '@hortus/contract/resources/definitions';
import type { deploymentEndpoints } from '@hortus/contract/resources/deployments';
import type { Handlers, LiveHandlers } from '../../http/handler.ts';
import type { Principal } from '../../identity/principal.ts';
import { invalid } from '../../problem.ts';
import type { Order } from '../definitions/public.ts';
import { followDeployment } from './follow.ts';
import type { Planning } from './planning.ts';
import type { DeploymentReports } from './reports.ts';
import type { Deployments } from './service.ts';

/** Completes an order for a definition that does not exist yet. */
export type ResolveOrder = (principal: Principal, body: DefinitionCreate) => Promise<Order>;

export const deploymentRoutes = (
  deployments: Deployments,
  reports: DeploymentReports,
  planning: Planning,
  orderOf: ResolveOrder,
): Handlers<keyof typeof deploymentEndpoints> => ({
  'deployments.list': async ({ principal, query }) => {
    const filter = { definitionId: query.definition_id, serverId: query.server_id, status: query.status };
    return { success: true, ...(await deployments.list(principal, filter, query)) };
  },
  'deployments.execute': async ({ principal, body, write }) => {
    await deployments.rehearse(principal, body);
    return write(async (tx) => ({ success: true, data: await deployments.execute(tx, principal, body) }));
  },
  'deployments.create': async ({ principal, body, write }) => {
    await deployments.rehearse(principal, body);
    return write(async (tx) => ({ success: true, data: await deployments.execute(tx, principal, body) }));
  },
  'deployments.plan': async ({ principal, params }) => ({
    success: true,
    data: await planning.plan(principal, params.id),
  }),
  'deployments.preview': async ({ principal, body }) => ({
    success: true,
    data: await planning.preview(principal, await orderOf(principal, body)),
  }),
  'deployments.pending': async ({ principal, query }) => ({
    success: true,
    ...(await deployments.pending(principal, query.server_id, query)),
  }),
  'deployments.read': async ({ principal, params, query }) => ({
    success: true,
    data: await deployments.read(principal, params.id, query.after ?? 0),
  }),
  'deployments.status': async ({ principal, params, body, write }) => {
    const report = await reports.prepare(principal, params.id, body);
    return write(async (tx) => ({ success: true, data: await reports.apply(tx, principal, report) }));
  },
  'deployments.report': async ({ principal, body, write }) => {
    const report = await reports.prepare(principal, body.deployment_id, body);
    return write(async (tx) => ({ success: true, data: await reports.apply(tx, principal, report) }));
  },
  'deployments.rollback': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await deployments.rollback(tx, principal, params.id, body) })),
  'deployments.cancel': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await deployments.cancel(tx, principal, params.id) })),
});

export const deploymentStreams = (deployments: Deployments): LiveHandlers<'deployments.read'> => ({
  'deployments.read': ({ principal, params, query, lastEventId }) =>
    followDeployment(
      deployments,
      principal,
      params.id,
      lastEventId === undefined ? query.after : numberOf(lastEventId),
    ),
});

function numberOf(lastEventId: string): number {
  if (!/^\d{1,9}$/.test(lastEventId)) throw invalid('Last-Event-ID', 'must be the number of a line.');
  return Number(lastEventId);
}
