import type { Execution } from '@hortus/contract/resources/actions';
import { iso, isoOrNull } from '../../records/time.ts';
import { isFinal } from './lifecycle.ts';
import type { ExecutionRow, ListedExecution } from './store.ts';

/** The output is null in lists. */
export const executionRecord = (row: ListedExecution & Partial<Pick<ExecutionRow, 'output'>>): Execution => ({
  id: row.id,
  instance_id: row.instance_id,
  server_id: row.server_id,
  slug: row.slug,
  name: row.name,
  kind: row.kind,
  status: row.status,
  params: JSON.parse(row.params),
  exit_code: row.exit_code,
  output: row.output ?? null,
  output_truncated: row.output_truncated === 1,
  output_dropped: row.output_dropped === 1,
  error: row.error,
  outcome: row.outcome,
  cancelling: row.cancel_requested_at !== null && !isFinal(row.status),
  created_by: row.created_by,
  created_at: iso(row.created_at),
  sent_at: isoOrNull(row.sent_at),
  started_at: isoOrNull(row.started_at),
  finished_at: isoOrNull(row.finished_at),
});
