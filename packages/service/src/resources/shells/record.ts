import type { ShellSession } from '@hortus/contract/resources/shells';
import { iso, isoOrNull } from '../../records/time.ts';
import type { ShellRow } from './store.ts';

export const shellRecord = (row: ShellRow): ShellSession => ({
  id: row.id,
  instance_id: row.instance_id,
  server_id: row.server_id,
  component: row.component,
  terminal: row.terminal === 1,
  opened_by: row.opened_by,
  address: row.address,
  created_at: iso(row.created_at),
  started_at: isoOrNull(row.started_at),
  ended_at: isoOrNull(row.ended_at),
  duration_ms: durationOf(row),
  ending: row.ending,
  exit_code: row.exit_code,
  recorded_bytes: row.recorded_bytes,
  recording_cut: row.recording_cut === 1,
});

export const durationOf = ({ started_at, ended_at }: ShellRow): number | null =>
  started_at === null || ended_at === null ? null : Math.max(0, ended_at - started_at);
