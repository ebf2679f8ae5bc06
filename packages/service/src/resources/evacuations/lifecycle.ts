import { evacuationMachine, evacuationMoveMachine } from '@hortus/contract/machines/evacuation';
import { append } from '../../outbox/append.ts';
import type { Lifecycle } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { EvacuationRow } from './store.ts';

export const evacuationLifecycle: Lifecycle<typeof evacuationMachine, 'evacuations'> = {
  machine: evacuationMachine,
  table: 'evacuations',
  resource: 'evacuation',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({ evacuation_id: row.id, server_id: row.server_id, status: row.status }),
};

export const evacuationMoveLifecycle: Lifecycle<typeof evacuationMoveMachine, 'evacuation_moves'> = {
  machine: evacuationMoveMachine,
  table: 'evacuation_moves',
  resource: 'evacuation_move',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({ evacuation_id: row.evacuation_id, name: row.name, status: row.status }),
};

/** Records that an evacuation was ordered, cancelled or has ended. */
export const auditEvacuation = (tx: Tx, row: EvacuationRow, actor: string | null) =>
  append(tx, {
    type: row.status === 'running' ? 'audit.evacuation_ordered' : `audit.evacuation_${row.status}`,
    accountId: row.account_id,
    resourceType: 'evacuation',
    resourceId: row.id,
    actor,
    data: evacuationLifecycle.eventData(row),
  });
