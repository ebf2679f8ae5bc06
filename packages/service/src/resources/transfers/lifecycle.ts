import { transferMachine } from '@hortus/contract/machines/transfer';
import type { Lifecycle } from '../../state/transition.ts';

export const transferLifecycle: Lifecycle<typeof transferMachine, 'transfers'> = {
  machine: transferMachine,
  table: 'transfers',
  resource: 'transfer',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    transfer_id: row.id,
    migration_id: row.migration_id,
    import_id: row.import_id,
    backup_id: row.backup_id,
    definition_id: row.definition_id,
    storage: row.storage,
    status: row.status,
  }),
};

export const hasEnded = ({ status }: { readonly status: (typeof transferMachine.states)[number] }): boolean =>
  transferMachine.final.includes(status);
