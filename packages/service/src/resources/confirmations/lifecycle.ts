import { confirmationMachine } from '@hortus/contract/machines/confirmation';
import type { Lifecycle } from '../../state/transition.ts';

export const confirmationLifecycle: Lifecycle<typeof confirmationMachine, 'confirmations'> = {
  machine: confirmationMachine,
  table: 'confirmations',
  resource: 'confirmation',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    confirmation_id: row.id,
    title: row.title,
    endpoint: row.endpoint,
    requested_by: row.requested_by,
    result_id: row.result_id,
  }),
};
