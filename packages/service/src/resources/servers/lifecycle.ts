import { serverMachine } from '@hortus/contract/machines/server';
import type { Lifecycle } from '../../state/transition.ts';

export const serverLifecycle: Lifecycle<typeof serverMachine, 'servers'> = {
  machine: serverMachine,
  table: 'servers',
  resource: 'server',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({ server_id: row.id, name: row.name, environment: row.environment, status: row.status }),
};
