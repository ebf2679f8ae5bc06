import type { migrationEndpoints } from '@hortus/contract/resources/migrations';
import type { Handlers } from '../../http/handler.ts';
import type { Tenants } from '../tenants/public.ts';
import type { Migrations } from './service.ts';

export const migrationRoutes = (
  migrations: Migrations,
  tenants: Pick<Tenants, 'migrate'>,
): Handlers<keyof typeof migrationEndpoints> => ({
  'definitions.migrate': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await migrations.orderDefinition(tx, principal, params.id, body) })),
  'tenants.migrate': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await tenants.migrate(tx, principal, params.id, body) })),
  'migrations.list': async ({ principal, query }) => {
    const filter = { accountId: principal.accountId, tenantId: query.tenant_id, status: query.status };
    return { success: true, ...(await migrations.list(filter, query)) };
  },
  'migrations.read': async ({ principal, params }) => ({
    success: true,
    data: await migrations.read(principal, params.id),
  }),
  'migrations.cancel': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await migrations.cancel(tx, principal, params.id) })),
});
