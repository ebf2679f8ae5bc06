import { tenantMachine } from '@hortus/contract/machines/tenant';
import type { Lifecycle } from '../../state/transition.ts';

export const tenantLifecycle: Lifecycle<typeof tenantMachine, 'tenants'> = {
  machine: tenantMachine,
  table: 'tenants',
  resource: 'tenant',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    tenant_id: row.id,
    name: row.name,
    slug: row.slug,
    server_id: row.server_id,
    status: row.status,
  }),
};
