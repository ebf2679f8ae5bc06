import { templateTestMachine } from '@hortus/contract/machines/template-test';
import type { TemplateTest } from '@hortus/contract/resources/drafts';
import { waker } from '../../jobs/wake.ts';
import { append } from '../../outbox/append.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Lifecycle } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { TestRow } from './store.ts';

/** One job per test, until nothing of it is left. */
export const TEST = 'templates.test';
export const wakeTest = waker(TEST);

export const testLifecycle: Lifecycle<typeof templateTestMachine, 'template_tests'> = {
  machine: templateTestMachine,
  table: 'template_tests',
  resource: 'template_test',
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    test_id: row.id,
    template_id: row.template_id,
    spec_hash: row.spec_hash,
    server_id: row.server_id,
    status: row.status,
    reason: row.reason,
  }),
};

export const recordTest = (tx: Tx, row: TestRow, actor: string | null): Promise<void> =>
  append(tx, {
    type: `audit.template_test_${row.status === 'deploying' ? 'begun' : row.status}`,
    accountId: row.account_id,
    resourceType: 'template_test',
    resourceId: row.id,
    actor,
    data: testLifecycle.eventData(row),
  });

export const testRecord = (row: TestRow): TemplateTest => ({
  id: row.id,
  template_id: row.template_id,
  spec_hash: row.spec_hash,
  server_id: row.server_id,
  definition_id: row.definition_id,
  deployment_id: row.deployment_id,
  status: row.status,
  reason: row.reason,
  error: row.error,
  output: row.output,
  cleared: row.cleared_at !== null,
  created_by: row.created_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  finished_at: isoOrNull(row.finished_at),
});
