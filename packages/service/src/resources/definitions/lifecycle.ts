import { definitionMachine } from '@hortus/contract/machines/definition';
import type { Lifecycle } from '../../state/transition.ts';

export const definitionLifecycle: Lifecycle<typeof definitionMachine, 'definitions'> = {
  machine: definitionMachine,
  table: 'definitions',
  resource: 'definition',
  guards: { 'succeeded before': (row) => row.succeeded_at !== null },
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    definition_id: row.id,
    name: row.name,
    instance_uid: row.instance_uid,
    template_id: row.template_id,
    server_id: row.server_id,
    status: row.status,
    current_revision: row.current_revision,
  }),
};
