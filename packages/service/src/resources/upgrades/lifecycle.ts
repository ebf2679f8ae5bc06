import { upgradeMachine } from '@hortus/contract/machines/upgrade';
import type { Lifecycle } from '../../state/transition.ts';

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
  }),
};
