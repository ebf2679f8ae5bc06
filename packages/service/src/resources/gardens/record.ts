import type { GardenCounts, GardenRun, GardenRunChange } from '@hortus/contract/resources/garden-records';
import type { GardenSource } from '@hortus/contract/resources/garden-source-records';
import type { Garden } from '@hortus/contract/resources/gardens';
import { iso, isoOrNull } from '../../records/time.ts';
import type { GardenChangeRow, GardenRow, GardenRunRow } from './store.ts';

export const runRecord = (row: GardenRunRow, gardenName: string, done: number): GardenRun => ({
  id: row.id,
  garden_id: row.garden_id,
  garden_name: gardenName,
  status: row.status,
  prune: row.prune === 1,
  plan_hash: row.plan_hash,
  counts: JSON.parse(row.counts) as GardenCounts,
  done,
  reason: row.reason,
  error: row.error,
  created_by: row.created_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  finished_at: isoOrNull(row.finished_at),
});

export const changeRecord = (row: GardenChangeRow): GardenRunChange => ({
  kind: row.kind,
  key: row.key,
  action: row.action,
  id: row.resource_id,
  fields: JSON.parse(row.fields),
  needs: JSON.parse(row.needs),
  state: row.state,
  deployment_id: row.deployment_id,
  error: row.error,
});

export const gardenRecord = (
  row: GardenRow,
  source: GardenSource | null,
  items: number,
  lastRun: GardenRun | null,
): Garden => ({
  id: row.id,
  name: row.name,
  source,
  items,
  last_run: lastRun,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
