import type { ClusterMember } from '@hortus/contract/resources/clusters';
import { iso, isoOrNull } from '../../records/time.ts';
import { daemonRecord, identityRecord, leaderOf, type NewerDaemon, type ServerRow } from '../servers/public.ts';
import type { MemberRow } from './store.ts';

/** A replica that died leaves its connections in the table; a member that is not seen for this long is offline. */
const UNSEEN_MS = 90_000;

export const memberRecord = (row: MemberRow, server: ServerRow, newer: NewerDaemon, now: number): ClusterMember => ({
  id: row.id,
  server_id: row.server_id,
  name: row.name,
  role: roleOf(row, server, now),
  last_seen_at: isoOrNull(row.last_seen_at),
  daemon: daemonRecord(row, newer),
  identity: identityRecord(row),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

function roleOf(row: MemberRow, server: ServerRow, now: number): ClusterMember['role'] {
  if (row.last_seen_at === null) return 'pending';
  if (leaderOf(server) === row.id) return 'leader';
  return row.connected_replica !== null && now - row.last_seen_at < UNSEEN_MS ? 'standby' : 'offline';
}
