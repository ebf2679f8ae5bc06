import { gardenCommitMachine } from '@hortus/contract/machines/garden-commit';
import type { Lifecycle } from '../../../state/transition.ts';

export const gardenCommitLifecycle: Lifecycle<typeof gardenCommitMachine, 'garden_commits'> = {
  machine: gardenCommitMachine,
  table: 'garden_commits',
  resource: 'garden_commit',
  accountOf: (row) => row.account_id,
  // Problems name fields, never values.
  eventData: (row) => ({
    commit_id: row.id,
    garden_id: row.garden_id,
    sha: row.sha,
    subject: row.subject,
    status: row.status,
    counts: row.counts === null ? null : JSON.parse(row.counts),
    plan_hash: row.plan_hash,
    run_id: row.run_id,
    reason: row.reason,
    error: row.error,
  }),
};
