import { daemonUpdateMachine, updateTargetMachine } from '@hortus/contract/machines/daemon-update';
import { append } from '../../outbox/append.ts';
import type { Lifecycle } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { TargetRow, UpdateRow } from './store.ts';

export const daemonUpdateLifecycle: Lifecycle<typeof daemonUpdateMachine, 'daemon_updates'> = {
  machine: daemonUpdateMachine,
  table: 'daemon_updates',
  resource: 'daemon_update',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    daemon_update_id: row.id,
    name: `daemons to ${row.version}`,
    version: row.version,
    status: row.status,
    stage: row.stage,
    error: row.error,
  }),
};

export const updateTargetLifecycle: Lifecycle<typeof updateTargetMachine, 'daemon_update_targets'> = {
  machine: updateTargetMachine,
  table: 'daemon_update_targets',
  resource: 'daemon_update_target',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    daemon_update_id: row.update_id,
    server_id: row.server_id,
    name: row.server_name,
    from_version: row.from_version,
    status: row.status,
    reason: row.reason,
    error: row.error,
  }),
};

/** Records a decision of a person about an update. */
export const auditUpdate = (tx: Tx, row: UpdateRow, word: 'continued' | 'cancelled', actor: string | null) =>
  append(tx, {
    type: `audit.daemon_update_${word}`,
    accountId: row.account_id,
    resourceType: 'daemon_update',
    resourceId: row.id,
    actor,
    data: daemonUpdateLifecycle.eventData(row),
  });

/** Records the result for one server, with its events. */
export const auditTarget = (tx: Tx, row: TargetRow, version: string) =>
  append(tx, {
    type: row.status === 'done' ? 'audit.server_daemon_updated' : 'audit.server_daemon_not_updated',
    accountId: row.account_id,
    resourceType: 'server',
    resourceId: row.server_id,
    actor: null,
    data: { ...updateTargetLifecycle.eventData(row), version },
  });
