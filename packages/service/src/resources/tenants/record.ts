import type { Tenant } from '@hortus/contract/resources/tenants';
import { iso, isoOrNull } from '../../records/time.ts';
import type { TenantRow } from './store.ts';

/** Numbers of definitions and instances of a tenant. */
export interface Counts {
  readonly definitions?: number | undefined;
  readonly living?: number;
  readonly running?: number;
}

export const tenantRecord = (row: TenantRow, counts: Counts): Tenant => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  server_id: row.server_id,
  status: row.status,
  definitions_count: counts.definitions ?? 0,
  instances_count: counts.living ?? 0,
  running_count: counts.running ?? 0,
  suspended_at: isoOrNull(row.suspended_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
