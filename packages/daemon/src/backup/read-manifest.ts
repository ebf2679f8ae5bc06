import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BackupManifest } from '@hortus/contract/resources/backup-records';
import { MANIFEST_FILE } from './backup-store.ts';
import type { Vessel } from './part.ts';
import { DamagedPart } from './sealed-part.ts';

/**
 * The manifest of a backup, which must be the very one that was reported when the backup was made: by its checksums everything
 * else is known to be what it was.
 */
export async function readManifest({ store, place }: Vessel, sha256: string): Promise<BackupManifest> {
  const text = await store.read(place, MANIFEST_FILE).then(buffer, (error: Error) => {
    throw new DamagedPart(`The backup is not there: ${error.message}.`);
  });
  if (createHash('sha256').update(text).digest('hex') !== sha256)
    throw new DamagedPart('The manifest of the backup was changed after the backup was made.');
  return JSON.parse(text.toString('utf8')) as BackupManifest;
}
