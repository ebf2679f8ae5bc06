import type { DaemonUpdate, UpdateTarget } from '@hortus/contract/resources/daemon-updates';
import type { Server } from '@hortus/contract/resources/server-records';
import { iso, isoOrNull } from '../../records/time.ts';
import { isFailure } from './decision.ts';
import type { StatusCount, TargetRow, UpdateRow } from './store.ts';

/** `counts` may contain those of other updates. */
export function updateRecord(row: UpdateRow, counts: readonly StatusCount[]): DaemonUpdate {
  const own = counts.filter(({ update_id }) => update_id === row.id);
  const sum = (stage: number, matches: (status: TargetRow['status']) => boolean) =>
    own
      .filter((count) => count.stage === stage && matches(count.status))
      .reduce((total, { number }) => total + number, 0);
  return {
    id: row.id,
    version: row.version,
    status: row.status,
    error: row.error,
    stage: row.stage,
    stages: (JSON.parse(row.stages) as number[]).map((servers, index) => ({
      number: index + 1,
      servers,
      done: sum(index + 1, (status) => status === 'done'),
      failed: sum(index + 1, isFailure),
    })),
    max_failed: row.max_failed,
    allow_downgrade: row.allow_downgrade === 1,
    offline_minutes: Math.round(row.offline_ms / 60_000),
    left_out: JSON.parse(row.left_out) as DaemonUpdate['left_out'],
    created_by: row.created_by,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    finished_at: isoOrNull(row.finished_at),
  };
}

export const targetRecord = (row: TargetRow): UpdateTarget => ({
  id: row.id,
  server_id: row.server_id,
  server_name: row.server_name,
  environment: row.environment as Server['environment'],
  stage: row.stage,
  status: row.status,
  from_version: row.from_version,
  reason: row.reason,
  error: row.error,
  ordered_at: isoOrNull(row.ordered_at),
  finished_at: isoOrNull(row.finished_at),
  updated_at: iso(row.updated_at),
});
