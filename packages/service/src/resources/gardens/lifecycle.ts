import { gardenRunMachine } from '@hortus/contract/machines/garden-run';
import type { Lifecycle } from '../../state/transition.ts';

export const gardenRunLifecycle: Lifecycle<typeof gardenRunMachine, 'garden_runs'> = {
  machine: gardenRunMachine,
  table: 'garden_runs',
  resource: 'garden_run',
  accountOf: (row) => row.account_id,
  // The error names the item and why; messages of the service and of daemons never contain secrets.
  eventData: (row) => ({
    run_id: row.id,
    garden_id: row.garden_id,
    status: row.status,
    plan_hash: row.plan_hash,
    counts: JSON.parse(row.counts),
    reason: row.reason,
    error: row.error,
  }),
};
