import { upgradeMachine } from '@hortus/contract/machines/upgrade';
import { append } from '../../outbox/append.ts';
import type { Lifecycle } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { UpgradeRow } from './store.ts';

export const upgradeLifecycle: Lifecycle<typeof upgradeMachine, 'upgrades'> = {
  machine: upgradeMachine,
  table: 'upgrades',
  resource: 'upgrade',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    upgrade_id: row.id,
    instance_id: row.instance_id,
    definition_id: row.definition_id,
    species: row.species,
    from_template_id: row.from_template_id,
    to_template_id: row.to_template_id,
    status: row.status,
    step: row.step,
    revision: row.revision,
    deployment_id: row.deployment_id,
    reason: row.reason,
  }),
};

/** Progress columns before an application starts. */
export const notBegun = {
  step: null,
  rehearsal_id: null,
  from_revision: null,
  revision: null,
  backup_id: null,
  backup_execution: null,
  deployment_id: null,
  return_id: null,
  watch_until: null,
  reason: null,
  error: null,
  finished_at: null,
} as const;

export const recordUpgrade = (tx: Tx, row: UpgradeRow, word: string, actor: string | null): Promise<void> =>
  append(tx, {
    type: `audit.upgrade_${word}`,
    accountId: row.account_id,
    resourceType: 'upgrade',
    resourceId: row.id,
    actor,
    data: upgradeLifecycle.eventData(row),
  });
