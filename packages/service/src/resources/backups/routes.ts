import type { backupEndpoints } from '@hortus/contract/resources/backups';
import type { Handlers } from '../../http/handler.ts';
import type { Backups, Ordered } from './service.ts';

const respond = (ordered: Ordered) => ({ success: true as const, ...ordered, data: ordered.backup });

export const backupRoutes = (backups: Backups): Handlers<keyof typeof backupEndpoints> => ({
  'backups.list': async ({ principal, query }) => {
    const { instance_id: instanceId, definition_id: definitionId, server_id: serverId, kind, status } = query;
    const filter = { accountId: principal.accountId, instanceId, definitionId, serverId, kind, status };
    return { success: true, ...(await backups.list(filter, query)) };
  },
  'backups.read': async ({ principal, params }) => ({ success: true, data: await backups.read(principal, params.id) }),
  'backups.create': ({ principal, params, body, write }) =>
    write(async (tx) => respond(await backups.create(tx, principal, params.id, body))),
  'backups.verify': ({ principal, params, write }) =>
    write(async (tx) => respond(await backups.verify(tx, principal, params.id))),
  'backups.planRestore': async ({ principal, params, query }) => ({
    success: true,
    data: await backups.planRestore(principal, params.id, query.into),
  }),
  'backups.restore': ({ principal, params, body, write }) =>
    write(async (tx) => respond(await backups.restore(tx, principal, params.id, body))),
  'backups.delete': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await backups.delete(tx, principal, params.id) })),
});
