import { checkPart } from './part.ts';
import { readManifest } from './read-manifest.ts';
import { checkFit, checkSpace } from './restore.ts';
import { type Bringing, bring } from './return-data.ts';

/**
 * Restores a backup into an isolated copy, whose deployment waits for it. Idempotent: a repetition starts with removing
 * what an earlier one left. After a failure the release of the copy removes everything.
 */
export async function fillCopy(filling: Bringing, manifestSha256: string): Promise<void> {
  const { engine, source, target, say } = filling;
  // The service asks for copies only; this protects an instance from a mistake there.
  if (target.isolated === undefined) throw new Error(`${target.instance_uid} is not a copy.`);
  const backup = await readManifest(source, manifestSha256);
  checkFit(backup, target);
  for (const part of backup.parts) await checkPart(source, part);
  say(`Verified all ${backup.parts.length} parts of the backup`);
  await checkSpace(engine, backup);
  await bring(filling, backup.parts);
  say(`Restored ${backup.parts.map(({ name }) => name).join(', ')} of ${backup.taken_at} into a copy`);
}
