import { createHash } from 'node:crypto';
import type { BackupPart } from '@hortus/contract/resources/backup-records';

/** A part written by a daemon of format 1, with its key. Backups of that format stay readable. */
export const formatOne = {
  key: createHash('sha256').update('fixture of format 1').digest(),
  place: { instanceUid: 'blog', backupId: 'bkp_old' },
  part: {
    kind: 'volume',
    name: 'data',
    file: 'volume-data.part',
    entries: 1,
    bytes: 32_000,
    stored_bytes: 78,
    chunks: 1,
    sha256: 'c05d59b40d50c1f6e3a2389248ddbf3104120673cfa7b842fa86dce91cfbb2d0',
  } satisfies BackupPart,
  stored: Buffer.from(
    'SE9SVFVTQjGAAAAyqoaTPEfsFOpmx3NoY3Nbhsy9p/cly6mxBrur6TskInsLO+hnAmreIr4fjWtdYPM0Z+T5kTfrOyEeMSdvsrgMGin2',
    'base64',
  ),
  content: 'written by a daemon of format 1\n'.repeat(1_000),
};
