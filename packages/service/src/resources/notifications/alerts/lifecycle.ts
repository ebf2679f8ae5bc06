import { alertMachine } from '@hortus/contract/machines/alert';
import type { Lifecycle } from '../../../state/transition.ts';

/** Alerts write no events: a rule for all events would then raise alerts about its own alerts. */
export const alertLifecycle: Lifecycle<typeof alertMachine, 'alerts'> = {
  machine: alertMachine,
  table: 'alerts',
  resource: 'alert',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({ alert_id: row.id, kind: row.kind, status: row.status }),
};
