import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BackupManifest } from '@hortus/contract/resources/backup-records';
import { MANIFEST_FILE } from './backup-store.ts';
import type { Vessel } from './part.ts';
import { DamagedPart } from './sealed-part.ts';

/** Reads the manifest of a backup and checks it against the reported hash; its checksums protect all other files. */
export async function readManifest({ store, place }: Vessel, sha256: string): Promise<BackupManifest> {
  const text = await store.read(place, MANIFEST_FILE).then(buffer, (error: Error) => {
    throw new DamagedPart(`The backup cannot be read: ${error.message}.`);
  });
  if (createHash('sha256').update(text).digest('hex') !== sha256)
    throw new DamagedPart('The manifest of the backup was modified after the backup.');
  return JSON.parse(text.toString('utf8')) as BackupManifest;
}
