import type { Alert } from '@hortus/contract/resources/notifications';
import { iso, isoOrNull } from '../../../records/time.ts';
import type { AlertRow } from './store.ts';

export const alertRecord = (row: AlertRow): Alert => ({
  id: row.id,
  rule_id: row.rule_id,
  kind: row.kind,
  status: row.status,
  title: row.title,
  text: row.text,
  fix: row.fix,
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  server_id: row.server_id,
  since: iso(row.since),
  opened_at: isoOrNull(row.opened_at),
  resolved_at: isoOrNull(row.resolved_at),
  updated_at: iso(row.updated_at),
});
