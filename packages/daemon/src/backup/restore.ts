import { statfs } from 'node:fs/promises';
import type { BackupManifest, BackupPart } from '@hortus/contract/resources/backup-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { primaryOf } from '@hortus/template/rollout/replacement';
import { containersOf, runningContainer } from '../actions/instance-containers.ts';
import { label, ownerLabels } from '../plan/labels.ts';
import { writeVolume } from '../volumes/volumes.ts';
import { dumpActionOf, feed } from './dump.ts';
import { checkPart, readPart, type Vessel } from './part.ts';
import { readManifest } from './read-manifest.ts';
import { type Starting, startInstance } from './start-instance.ts';
import { type Taken, type Taking, takeBackup, volumesOf } from './take.ts';

export interface Restoring extends Omit<Taking, 'vessel'>, Starting {
  source: Vessel;
  /** Of the manifest of the backup, as the service has been told it. */
  manifestSha256: string;
  /** Where what is replaced is kept. */
  safety: Vessel;
  /** What an earlier life of the daemon had kept before it began to replace; it must not be kept again. */
  kept: Taken | undefined;
  /** Writes down that everything is checked and kept, before the first thing is replaced. */
  keep(taken: Taken): void;
}

/**
 * Puts a backup in the place of what an instance has. Everything is read to its end and what is there is kept before anything
 * is touched; if it goes wrong after that, what was kept comes back. Done twice it leaves the same.
 */
export async function restore(restoring: Restoring): Promise<Taken> {
  const { source, safety, manifest } = restoring;
  return await exchange(restoring, manifest, {
    bring: (parts) => replace(restoring, source, parts),
    putBack: (parts) => replace(restoring, safety, parts),
  });
}

export interface Exchange {
  /** Puts what the backup holds in its place. */
  bring(parts: readonly BackupPart[]): Promise<void>;
  /** The same with what was kept, because that failed. */
  putBack(parts: readonly BackupPart[]): Promise<void>;
}

/** Checks and keeps before it touches anything. `target` is what the data is for. */
export async function exchange(
  restoring: Restoring,
  target: SignedManifest,
  { bring, putBack }: Exchange,
): Promise<Taken> {
  const { source, manifestSha256, say } = restoring;
  const backup = await readManifest(source, manifestSha256);
  const kept = restoring.kept ?? (await prepare(restoring, backup, target));
  try {
    await bring(backup.parts);
    say(`Restored ${backup.parts.map(({ name }) => name).join(', ')} of ${backup.taken_at}`);
    return kept;
  } catch (error) {
    say(`Putting back what was there: ${(error as Error).message}`);
    // Whatever the backup brought in the place of a volume that was not there goes again.
    await putBack(kept.manifest.parts).catch((again: Error) => {
      throw new Error(
        `${(error as Error).message} What was there before could not be put back either (${again.message}); it is kept in the backup ${kept.manifest.backup_id}.`,
      );
    });
    throw new Error(`${(error as Error).message} What was there before is back.`);
  }
}

async function prepare(restoring: Restoring, backup: BackupManifest, target: SignedManifest): Promise<Taken> {
  const { engine, source, safety, signal, say } = restoring;
  checkFit(backup, target);
  for (const part of backup.parts) await checkPart({ ...source, signal }, part);
  say(`Checked ${backup.parts.length} parts to their last byte`);
  const kept = await takeBackup({ ...restoring, vessel: safety }, 'volumes');
  say(`Kept what is there as ${kept.manifest.backup_id}`);
  await checkSpace(engine, backup, kept.manifest);
  restoring.keep(kept);
  return kept;
}

/** Whether what runs can do something with it. */
export function checkFit(backup: BackupManifest, manifest: SignedManifest): void {
  const { species } = manifest;
  if (backup.species !== species) throw new Error(`The backup is of ${backup.species}, and what runs is ${species}.`);
  const names = volumesOf(manifest).map(({ name }) => name);
  const foreign = backup.parts.find(({ kind, name }) => kind === 'volume' && !names.includes(name));
  if (foreign)
    throw new Error(`What runs has no volume ${foreign.name}; roll back to revision ${backup.revision} first.`);
  const dumped = backup.parts.some(({ kind }) => kind === 'dump');
  if (dumped && (manifest.backup.restore_command === undefined || dumpActionOf(manifest) === undefined))
    throw new Error(`The template ${species} does not say how to restore a dump (backup.restore_command).`);
}

/** The volumes that are replaced make room for their successors. */
async function checkSpace(engine: Restoring['engine'], backup: BackupManifest, kept: BackupManifest): Promise<void> {
  const size = ({ parts }: BackupManifest) => volumeParts(parts).reduce((sum, { bytes }) => sum + bytes, 0);
  const { dataRoot } = await engine.info();
  const disk = await statfs(dataRoot).catch(() => undefined);
  if (disk === undefined) return;
  const missing = size(backup) - size(kept) - disk.bavail * disk.bsize;
  if (missing > 0) throw new Error(`The server has not enough space: ${missing} bytes are missing below ${dataRoot}.`);
}

export const volumeParts = (parts: readonly BackupPart[]) => parts.filter(({ kind }) => kind === 'volume');

/** Puts what a backup holds in the place of what there is, and has what was deployed run with it. */
export async function replace(restoring: Restoring, source: Vessel, parts: readonly BackupPart[]): Promise<void> {
  const { manifest } = restoring;
  if (volumeParts(parts).length > 0) await refill(restoring, source, parts, manifest);
  await startInstance(restoring, manifest, manifest.deployment_id ?? `restore-${source.place.backupId}`);
  for (const part of parts) if (part.kind === 'dump') await feedDump(restoring, source, part);
}

/** Takes every container of the instance away and makes its volumes anew; nothing is started. */
export async function refill(
  { engine, boundary }: Pick<Restoring, 'engine' | 'boundary'>,
  source: Vessel,
  parts: readonly BackupPart[],
  manifest: SignedManifest,
): Promise<void> {
  // A volume is emptied by making it anew, and the engine lets go of one only when nobody has it mounted.
  for (const { id, stopGraceMs } of await containersOf(engine, manifest.instance.uid)) {
    await engine.stop(id, stopGraceMs);
    await engine.remove(id, { force: true });
  }
  boundary?.('removed for a restore');
  for (const part of volumeParts(parts))
    await fillVolume({ engine, manifest }, source, part, volumeNamed(manifest, part.name));
}

function volumeNamed(manifest: SignedManifest, name: string): string {
  const found = volumesOf(manifest).find((one) => one.name === name);
  if (found === undefined) throw new Error(`What runs has no volume ${name}.`);
  return found.volume;
}

export interface Filling {
  engine: Restoring['engine'];
  manifest: SignedManifest;
}

/** Makes the volume anew with what the part holds. */
export async function fillVolume(
  { engine, manifest }: Filling,
  source: Vessel,
  part: BackupPart,
  volume: string,
): Promise<void> {
  const { server_id, definition_id, instance } = manifest;
  await engine.removeVolume(volume);
  await engine.ensureVolume({
    name: volume,
    labels: {
      [label.managed]: 'true',
      [label.server]: server_id,
      [label.instance]: instance.uid,
      [label.definition]: definition_id,
    },
    owner: ownerLabels,
  });
  const place = { engine, serverId: server_id, volume };
  const { entries } = await readPart(source, part, (content) => writeVolume(place, content));
  if (entries !== part.entries)
    throw new Error(`Of the volume ${part.name} came ${entries} entries, not ${part.entries}.`);
}

/** Has the running application make its data again from a dump. */
export async function feedDump({ engine, manifest }: Filling, source: Vessel, part: BackupPart): Promise<void> {
  const { backup, instance } = manifest;
  const action = dumpActionOf(manifest);
  const command = backup.restore_command;
  if (action === undefined || command === undefined)
    throw new Error('The template does not say how to restore a dump.');
  const primary = primaryOf(manifest) === action.component;
  const container = await runningContainer(engine, instance.uid, action.component, primary);
  if (container === undefined) throw new Error(`The component ${action.component} is not running.`);
  const mark = `restore-${source.place.backupId}`;
  await readPart(source, part, (content) => feed({ engine, action, container, mark }, command, content));
}
