import type { clusterEndpoints } from '@hortus/contract/resources/clusters';
import type { Handlers } from '../../http/handler.ts';
import type { ClusterMembers } from './members.ts';
import type { ClusterNodes } from './nodes/nodes.ts';

export const clusterRoutes = (
  members: ClusterMembers,
  nodes: ClusterNodes,
): Handlers<keyof typeof clusterEndpoints> => ({
  'clusters.nodes': async ({ principal, params, query }) => ({
    success: true,
    ...(await nodes.list(principal, params.id, query)),
  }),
  'clusters.reportNodes': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: { nodes: await nodes.report(tx, principal, params.id, body) } })),
  'clusters.drainNode': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, execution: await nodes.change(tx, principal, params, 'drain') })),
  'clusters.activateNode': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, execution: await nodes.change(tx, principal, params, 'active') })),
  'clusters.members': async ({ principal, params, query }) => ({
    success: true,
    ...(await members.list(principal, params.id, query)),
  }),
  'clusters.addMember': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await members.add(tx, principal, params.id, body) })),
  'clusters.revokeMember': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await members.revoke(tx, principal, params.id, params.member_id) })),
});
