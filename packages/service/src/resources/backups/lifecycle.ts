import { backupMachine } from '@hortus/contract/machines/backup';
import type { Lifecycle } from '../../state/transition.ts';

export const backupLifecycle: Lifecycle<typeof backupMachine, 'backups'> = {
  machine: backupMachine,
  table: 'backups',
  resource: 'backup',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    backup_id: row.id,
    instance_id: row.instance_id,
    definition_id: row.definition_id,
    server_id: row.server_id,
    kind: row.kind,
    status: row.status,
    stored_bytes: row.stored_bytes,
  }),
};
