import { statfs } from 'node:fs/promises';
import type { BackupManifest, BackupPart } from '@hortus/contract/resources/backup-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { RestoresInto } from '@hortus/template/canonical/dump-restore';
import { containersOf, handlesOf } from '../instances/instance-containers.ts';
import { labelsOf, ownerLabels } from '../plan/labels.ts';
import { writeVolume } from '../volumes/volumes.ts';
import { dumpActionOf } from './dump.ts';
import { feedDump, needsEmpty, restoreDumps } from './dump-restore.ts';
import { checkPart, readPart, type Vessel, volumeParts } from './part.ts';
import { readManifest } from './read-manifest.ts';
import { type Starting, startInstance } from './start-instance.ts';
import { type Taken, type Taking, takeBackup, volumesOf } from './take.ts';

export interface Restoring extends Omit<Taking, 'vessel'>, Starting {
  source: Vessel;
  /** Hash of the backup's manifest, as reported to the service. */
  manifestSha256: string;
  /** Safety backup of the data that is replaced. */
  safety: Vessel;
  /** Safety backup made before a daemon restart; it must not be made again. */
  kept: Taken | undefined;
  /** Where a dump is read, as ordered; undefined in orders of older services. */
  into: RestoresInto | undefined;
  /** Records that the backup was checked and the safety backup made, before anything is replaced. */
  keep(taken: Taken): void;
}

/**
 * Replaces the data of an instance by a backup. First reads the whole backup and makes a safety backup; if anything
 * fails after that, restores the safety backup. Idempotent.
 */
export async function restore(restoring: Restoring): Promise<Taken> {
  const { source, safety, manifest } = restoring;
  return await exchange(restoring, manifest, {
    bring: (parts) => replace(restoring, source, parts),
    putBack: (parts) => replace(restoring, safety, parts),
  });
}

export interface Exchange {
  /** Restores the parts of the backup. */
  bring(parts: readonly BackupPart[]): Promise<void>;
  /** Restores the safety backup after a failure. */
  putBack(parts: readonly BackupPart[]): Promise<void>;
}

/** Checks the backup and makes the safety backup before any change. `target` is the manifest that the data is for. */
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
    say(`Restoring the previous data: ${(error as Error).message}`);
    // This also removes volumes that existed only in the backup.
    await putBack(kept.manifest.parts).catch((again: Error) => {
      throw new Error(
        `${(error as Error).message} The previous data could not be restored either (${again.message}); it is in backup ${kept.manifest.backup_id}.`,
      );
    });
    throw new Error(`${(error as Error).message} The previous data was restored.`);
  }
}

async function prepare(restoring: Restoring, backup: BackupManifest, target: SignedManifest): Promise<Taken> {
  const { engine, source, safety, signal, say } = restoring;
  checkFit(backup, target);
  for (const part of backup.parts) await checkPart({ ...source, signal: signal ?? source.signal }, part);
  say(`Verified all ${backup.parts.length} parts of the backup`);
  const kept = await takeBackup({ ...restoring, vessel: safety }, 'volumes');
  say(`Saved the current data as ${kept.manifest.backup_id}`);
  await checkSpace(engine, backup, kept.manifest);
  restoring.keep(kept);
  return kept;
}

/** Throws if the deployed application cannot use the backup. */
export function checkFit(backup: BackupManifest, manifest: SignedManifest): void {
  const { species } = manifest;
  if (backup.species !== species)
    throw new Error(`The backup is of ${backup.species}, but the instance runs ${species}.`);
  const names = volumesOf(manifest).map(({ name }) => name);
  const foreign = backup.parts.find(({ kind, name }) => kind === 'volume' && !names.includes(name));
  if (foreign)
    throw new Error(`The instance has no volume ${foreign.name}; roll back to revision ${backup.revision} first.`);
  const dumped = backup.parts.some(({ kind }) => kind === 'dump');
  if (dumped && (manifest.backup.restore_command === undefined || dumpActionOf(manifest) === undefined))
    throw new Error(`The template ${species} does not declare how to restore a dump (backup.restore_command).`);
}

/** Checks the free disk space; replaced volumes (`kept`) free theirs. */
export async function checkSpace(
  engine: Restoring['engine'],
  backup: BackupManifest,
  kept?: BackupManifest,
): Promise<void> {
  const size = (of?: BackupManifest) => volumeParts(of?.parts ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  const { dataRoot } = await engine.info();
  const disk = await statfs(dataRoot).catch(() => undefined);
  if (disk === undefined) return;
  const missing = size(backup) - size(kept) - disk.bavail * disk.bsize;
  if (missing > 0)
    throw new Error(`Not enough disk space on the server: ${missing} more bytes are needed below ${dataRoot}.`);
}

export type Replacing = Starting & Pick<Restoring, 'manifest' | 'into'>;

/** Replaces the data by a backup and starts the deployed application with it. */
export async function replace(restoring: Replacing, source: Vessel, parts: readonly BackupPart[]): Promise<void> {
  const { manifest } = restoring;
  const empty = needsEmpty(manifest, parts, restoring.into);
  const deploymentId = manifest.deployment_id ?? `restore-${source.place.backupId}`;
  if (empty || volumeParts(parts).length > 0) await refill(restoring, source, parts, manifest);
  if (empty) await restoreDumps(restoring, { manifest, deploymentId }, source, parts);
  await startInstance(restoring, manifest, deploymentId);
  for (const part of parts) if (part.kind === 'dump' && !empty) await feedDump(restoring, source, part);
}

/** Removes every container of the instance and recreates its volumes from the backup; starts nothing. */
export async function refill(
  { engine, boundary }: Pick<Restoring, 'engine' | 'boundary'>,
  source: Vessel,
  parts: readonly BackupPart[],
  manifest: SignedManifest,
): Promise<void> {
  // Volumes are emptied by recreating them, which the engine allows only while they are not mounted.
  for (const { id, stopGraceMs } of handlesOf(await containersOf(engine, manifest.instance.uid))) {
    await engine.stop(id, stopGraceMs);
    await engine.remove(id, { force: true });
  }
  boundary?.('removed for a restore');
  for (const part of volumeParts(parts))
    await fillVolume({ engine, manifest }, source, part, volumeNamed(manifest, part.name));
}

function volumeNamed(manifest: SignedManifest, name: string): string {
  const found = volumesOf(manifest).find((volume) => volume.name === name);
  if (found === undefined) throw new Error(`The instance has no volume ${name}.`);
  return found.volume;
}

export interface Filling {
  engine: Restoring['engine'];
  manifest: SignedManifest;
}

/** Recreates the volume with the content of the part. */
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
    labels: labelsOf({ serverId: server_id, uid: instance.uid, definitionId: definition_id }),
    owner: ownerLabels,
  });
  const place = { engine, serverId: server_id, volume };
  const { entries } = await readPart(source, part, (content) => writeVolume(place, content));
  if (entries !== part.entries)
    throw new Error(`Volume ${part.name} was restored with ${entries} entries instead of ${part.entries}.`);
}
