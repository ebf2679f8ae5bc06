import { migrationMachine } from '@hortus/contract/machines/migration';
import type { Lifecycle } from '../../state/transition.ts';

export const migrationLifecycle: Lifecycle<typeof migrationMachine, 'migrations'> = {
  machine: migrationMachine,
  table: 'migrations',
  resource: 'migration',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    migration_id: row.id,
    tenant_id: row.tenant_id,
    from_server_id: row.from_server_id,
    to_server_id: row.to_server_id,
    status: row.status,
    reason: row.reason,
    downtime_ms: row.downtime_ms,
  }),
};
