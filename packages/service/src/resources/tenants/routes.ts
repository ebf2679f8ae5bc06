import type { tenantEndpoints } from '@hortus/contract/resources/tenants';
import type { Handlers } from '../../http/handler.ts';
import type { Tenants } from './service.ts';

export const tenantRoutes = (tenants: Tenants): Handlers<keyof typeof tenantEndpoints> => ({
  'tenants.list': async ({ principal, query }) => {
    const filter = { accountId: principal.accountId, serverId: query.server_id, status: query.status };
    return { success: true, ...(await tenants.list(filter, query)) };
  },
  'tenants.create': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await tenants.create(tx, principal, body) })),
  'tenants.read': async ({ principal, params }) => ({ success: true, data: await tenants.read(principal, params.id) }),
  'tenants.suspend': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await tenants.suspend(tx, principal, params.id) })),
  'tenants.resume': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await tenants.resume(tx, principal, params.id) })),
  'tenants.activate': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await tenants.activate(tx, principal, params.id) })),
  'tenants.delete': ({ principal, params, query, write }) =>
    write(async (tx) => ({
      success: true,
      data: await tenants.remove(tx, principal, params.id, query.force ?? false),
    })),
});
