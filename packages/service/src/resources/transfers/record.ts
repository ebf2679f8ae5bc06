import type { Transfer } from '@hortus/contract/resources/transfers';
import { iso, isoOrNull } from '../../records/time.ts';
import type { TransferRow } from './store.ts';

export const transferRecord = (row: TransferRow): Transfer => ({
  id: row.id,
  migration_id: row.migration_id,
  import_id: row.import_id,
  backup_id: row.backup_id,
  definition_id: row.definition_id,
  storage: row.storage,
  mode: row.mode,
  from_server_id: row.from_server_id,
  to_server_id: row.to_server_id,
  status: row.status,
  chunks: row.chunks,
  bytes: row.bytes,
  carried_bytes: row.carried_bytes,
  sha256: row.sha256,
  error: row.error,
  created_at: iso(row.created_at),
  started_at: isoOrNull(row.started_at),
  finished_at: isoOrNull(row.finished_at),
});
