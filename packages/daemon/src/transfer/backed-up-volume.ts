import type { Readable } from 'node:stream';
import type { TransferOrder } from '@hortus/contract/resources/transfers';
import type { BackupStore } from '../backup/backup-store.ts';
import { readPart } from '../backup/part.ts';
import { readManifest } from '../backup/read-manifest.ts';
import { isSafeName } from '../plan/names.ts';

/**
 * Reads a volume from a backup and passes it to `use` as a tar archive. Names become paths, so they are validated even
 * though the order is signed.
 */
export async function readBackedUpVolume(
  store: BackupStore,
  { instance_uid: instanceUid, volume }: TransferOrder,
  { id: backupId, manifest_sha256, key }: NonNullable<TransferOrder['backup']>,
  use: (content: Readable) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (const name of [instanceUid, backupId])
    if (!isSafeName(name)) throw new Error(`${name} is not the name of a backup.`);
  const vessel = { store, place: { instanceUid, backupId }, key: Buffer.from(key, 'base64'), signal };
  const { parts } = await readManifest(vessel, manifest_sha256);
  const part = parts.find((part) => part.kind === 'volume' && part.name === volume);
  if (!part) throw new Error(`The backup ${backupId} has no volume ${volume}.`);
  await readPart(vessel, part, use);
}
