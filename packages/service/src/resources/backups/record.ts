import type { BackupManifest } from '@hortus/contract/resources/backup-records';
import type { Backup } from '@hortus/contract/resources/backups';
import { iso, isoOrNull } from '../../records/time.ts';
import type { BackupRow } from './store.ts';

/** Parses the manifest that the daemon reported; undefined until the backup is complete. */
export const manifestIn = ({ manifest }: BackupRow): BackupManifest | undefined =>
  manifest === null ? undefined : JSON.parse(manifest);

export function backupRecord(row: BackupRow): Backup {
  const manifest = manifestIn(row);
  return {
    id: row.id,
    instance_id: row.instance_id,
    definition_id: row.definition_id,
    server_id: row.server_id,
    instance_uid: row.instance_uid,
    kind: row.kind,
    status: row.status,
    execution_id: row.execution_id,
    species: manifest?.species ?? null,
    template_version: manifest?.template_version ?? null,
    spec_hash: manifest?.spec_hash ?? null,
    revision: manifest?.revision ?? null,
    images: manifest?.images ?? [],
    parts: manifest?.parts ?? [],
    bytes: row.bytes,
    stored_bytes: row.stored_bytes,
    stopped_ms: manifest?.stopped_ms ?? null,
    address: row.address,
    manifest_sha256: row.manifest_sha256,
    error: row.error,
    last_verified: isoOrNull(row.verified_at),
    proof: row.proof,
    verify_error: row.verify_error,
    created_by: row.created_by,
    created_at: iso(row.created_at),
    finished_at: isoOrNull(row.finished_at),
  };
}
