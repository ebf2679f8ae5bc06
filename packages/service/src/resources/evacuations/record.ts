import type { Evacuation, EvacuationMove } from '@hortus/contract/resources/evacuations';
import { iso, isoOrNull } from '../../records/time.ts';
import type { EvacuationRow, MoveCount, MoveRow } from './store.ts';

export function evacuationRecord(row: EvacuationRow, counts: readonly MoveCount[]): Evacuation {
  const own = counts.filter(({ evacuation_id }) => evacuation_id === row.id);
  const numberOf = (...statuses: MoveRow['status'][]) =>
    own.reduce((sum, { status, number }) => (statuses.includes(status) ? sum + number : sum), 0);
  return {
    id: row.id,
    server_id: row.server_id,
    status: row.status,
    at_once: row.at_once,
    total: own.reduce((sum, { number }) => sum + number, 0),
    moved: numberOf('moved'),
    moving: numberOf('moving'),
    stuck: numberOf('stuck'),
    created_by: row.created_by,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    finished_at: isoOrNull(row.finished_at),
  };
}

export const moveRecord = (row: MoveRow): EvacuationMove => ({
  number: row.number,
  tenant_id: row.tenant_id,
  definition_id: row.definition_id,
  name: row.name,
  status: row.status,
  to_server_id: row.to_server_id,
  reason: row.reason,
  migration_id: row.migration_id,
  error: row.error,
  downtime_ms: row.downtime_ms,
  finished_at: isoOrNull(row.finished_at),
});
