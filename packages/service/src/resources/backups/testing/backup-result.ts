import type { BackupManifest, BackupPart } from '@hortus/contract/resources/backup-records';
import type { Backup } from '@hortus/contract/resources/backups';

interface Reported {
  readonly revision?: number;
  readonly kind?: BackupPart['kind'];
}

/** Builds the result that a daemon reports for a backup. */
export function backupResult(backup: Pick<Backup, 'id' | 'instance_uid' | 'definition_id'>, reported: Reported = {}) {
  const { id: backup_id, instance_uid, definition_id } = backup;
  const { revision = 1, kind = 'volume' } = reported;
  const name = kind === 'volume' ? 'uploads' : 'db-dump';
  const part = { kind, name, file: `${kind}-${name}.part`, entries: 3, bytes: 4_096, sha256: 'ab'.repeat(32) };
  const manifest: BackupManifest = {
    format: 1,
    backup_id,
    instance_uid,
    definition_id,
    species: 'inkwell',
    template_version: '1.2.0',
    spec_hash: `sha256:${'0'.repeat(64)}`,
    revision,
    images: [],
    taken_at: '2026-01-02T03:04:05.000Z',
    stopped_ms: 12,
    parts: [{ ...part, stored_bytes: 512, chunks: 1 }],
  };
  return { manifest, manifest_sha256: 'cd'.repeat(32), address: '/var/lib/hortusd/backups' };
}
