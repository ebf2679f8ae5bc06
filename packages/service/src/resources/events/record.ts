import type { Event } from '@hortus/contract/resources/events';
import { iso } from '../../records/time.ts';
import type { EventRow } from './store.ts';

export const eventRecord = (row: EventRow): Event => ({
  id: row.id,
  seq: row.seq,
  type: row.type,
  account_id: row.account_id,
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  created_at: iso(row.created_at),
  actor: row.actor,
  data: JSON.parse(row.data),
});
