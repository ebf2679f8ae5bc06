import type { clusterEndpoints } from '@hortus/contract/resources/clusters';
import type { Handlers } from '../../http/handler.ts';
import type { ClusterMembers } from './members.ts';

export const clusterRoutes = (members: ClusterMembers): Handlers<keyof typeof clusterEndpoints> => ({
  'clusters.members': async ({ principal, params, query }) => ({
    success: true,
    ...(await members.list(principal, params.id, query)),
  }),
  'clusters.addMember': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await members.add(tx, principal, params.id, body) })),
  'clusters.revokeMember': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await members.revoke(tx, principal, params.id, params.member_id) })),
});
