import { rehearsalMachine } from '@hortus/contract/machines/rehearsal';
import { waker } from '../../jobs/wake.ts';
import { append } from '../../outbox/append.ts';
import type { Lifecycle } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { RehearsalRow } from './store.ts';

/** One job per rehearsal, until nothing of its copy is left. */
export const REHEARSE = 'rehearsals.run';
export const wakeRehearsal = waker(REHEARSE);

export const rehearsalLifecycle: Lifecycle<typeof rehearsalMachine, 'rehearsals'> = {
  machine: rehearsalMachine,
  table: 'rehearsals',
  resource: 'rehearsal',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    rehearsal_id: row.id,
    kind: row.kind,
    instance_id: row.instance_id,
    definition_id: row.definition_id,
    upgrade_id: row.upgrade_id,
    copy_definition_id: row.copy_definition_id,
    status: row.status,
    reason: row.reason,
  }),
};

export const recordRehearsal = (
  tx: Tx,
  row: RehearsalRow,
  word: 'begun' | 'passed' | 'failed' | 'removed',
  actor: string | null,
): Promise<void> =>
  append(tx, {
    type: `audit.rehearsal_${word}`,
    accountId: row.account_id,
    resourceType: 'rehearsal',
    resourceId: row.id,
    actor,
    data: rehearsalLifecycle.eventData(row),
  });
