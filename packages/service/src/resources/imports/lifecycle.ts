import { importMachine } from '@hortus/contract/machines/import';
import type { Lifecycle } from '../../state/transition.ts';

export const importLifecycle: Lifecycle<typeof importMachine, 'imports'> = {
  machine: importMachine,
  table: 'imports',
  resource: 'import',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    import_id: row.id,
    definition_id: row.definition_id,
    instance_uid: row.instance_uid,
    server_id: row.server_id,
    status: row.status,
    reason: row.reason,
  }),
};
