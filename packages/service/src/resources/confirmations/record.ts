import type { Confirmation } from '@hortus/contract/resources/confirmations';
import { iso } from '../../records/time.ts';
import type { ConfirmationRow } from './store.ts';

export const confirmationRecord = (row: ConfirmationRow, publicUrl: string): Confirmation => ({
  id: row.id,
  endpoint: row.endpoint,
  ...(JSON.parse(row.call) as Pick<Confirmation, 'params' | 'query' | 'body'>),
  title: row.title,
  reason: row.reason,
  subject: row.subject,
  status: row.status,
  url: new URL(`/confirmations/${row.id}`, publicUrl).href,
  error: row.error,
  result_id: row.result_id,
  requested_by: row.requested_by,
  requested_by_name: row.requested_by_name,
  decided_by: row.decided_by,
  expires_at: iso(row.expires_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
