import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Catalog } from '../templates/public.ts';
import type { NamedRehearsal } from './store.ts';

export function rehearsalRecord(catalog: Pick<Catalog, 'known'>, row: NamedRehearsal): Rehearsal {
  const { created_at, backed_up_at, restored_at, applied_at, finished_at } = row;
  const between = (from: number | null, to: number | null) => (from === null || to === null ? null : to - from);
  return {
    id: row.id,
    kind: row.kind,
    instance_id: row.instance_id,
    instance_name: row.instance_name,
    definition_id: row.definition_id,
    server_id: row.server_id,
    upgrade_id: row.upgrade_id,
    from_version: catalog.known(row.from_template_id).item.version,
    to_version: catalog.known(row.to_template_id).item.version,
    status: row.status,
    reason: row.reason,
    error: row.error,
    last_lines: JSON.parse(row.last_lines),
    output: row.output,
    backup_id: row.backup_id,
    data_bytes: row.data_bytes,
    durations_ms: {
      backup: row.backup_execution === null ? null : between(created_at, backed_up_at),
      restore: between(backed_up_at, restored_at),
      apply: between(restored_at, applied_at),
      test: row.smoke_id === null ? null : between(applied_at ?? restored_at, finished_at),
    },
    copy_definition_id: row.copy_definition_id,
    copy_instance_id: row.copy_instance_id,
    restore_deployment_id: row.restore_deployment_id,
    change_deployment_id: row.change_deployment_id,
    keep_until: isoOrNull(row.keep_until),
    removed: row.cleared_at !== null,
    created_by: row.created_by,
    created_at: iso(created_at),
    updated_at: iso(row.updated_at),
    finished_at: isoOrNull(finished_at),
  };
}
