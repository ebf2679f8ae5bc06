import type { Migration, MigrationLine } from '@hortus/contract/resources/migrations';
import { iso, isoOrNull } from '../../records/time.ts';
import type { LineRow, MigrationRow, PartRow } from './store.ts';

export const migrationRecord = (row: MigrationRow, parts: readonly PartRow[]): Migration => ({
  id: row.id,
  tenant_id: row.tenant_id,
  definition_ids: parts.filter(({ migration_id }) => migration_id === row.id).map(({ definition_id }) => definition_id),
  from_server_id: row.from_server_id,
  to_server_id: row.to_server_id,
  status: row.status,
  reason: row.reason,
  error: row.error,
  downtime_ms: row.downtime_ms,
  release_at: isoOrNull(row.release_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  switched_at: isoOrNull(row.switched_at),
  finished_at: isoOrNull(row.finished_at),
});

export const lineRecord = ({ at, step, message }: LineRow): MigrationLine => ({ at: iso(at), step, message });
