import { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { Lifecycle } from '../../state/transition.ts';
import { eventData } from './record.ts';

export const deploymentLifecycle: Lifecycle<typeof deploymentMachine, 'deployments'> = {
  machine: deploymentMachine,
  table: 'deployments',
  resource: 'deployment',
  accountOf: (row) => row.account_id,
  // Omits the error, which is free text of a daemon; `reason` is one word that a receiver can act on.
  eventData: (row) => ({ deployment_id: row.id, ...eventData(row) }),
};

/** Whether the server is online is not in the row, so the caller passes it. */
export const expiringWhile = (serverOnline: boolean): typeof deploymentLifecycle => ({
  ...deploymentLifecycle,
  guards: { 'server online': () => serverOnline },
});
