import type { Instance } from '@hortus/contract/resources/instance-records';
import { iso, isoOrNull } from '../../records/time.ts';
import type { NamedRow } from './lists/store.ts';
import type { InstanceRow } from './store.ts';

interface Kind {
  readonly species: string;
  readonly family: string;
}

export const instanceRecord = (row: NamedRow, { species, family }: Kind, now: number): Instance => ({
  id: row.id,
  definition_id: row.definition_id,
  server_id: row.server_id,
  name: row.name,
  instance_uid: row.instance_uid,
  species,
  family,
  container_id: row.container_id,
  container_name: row.container_name,
  status: row.status,
  health: row.health,
  revision: row.revision,
  url: row.url,
  components: JSON.parse(row.components),
  drift: JSON.parse(row.drift),
  drifted_at: isoOrNull(row.drifted_at),
  started_at: isoOrNull(row.started_at),
  uptime_seconds: uptime(row, now),
  last_reported_at: isoOrNull(row.last_reported_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Uptime in seconds; never negative, although the server's clock may be ahead. */
const uptime = ({ status, started_at }: InstanceRow, now: number): number =>
  status === 'running' && started_at !== null ? Math.max(0, Math.floor((now - started_at) / 1000)) : 0;
