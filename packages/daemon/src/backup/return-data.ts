import type { BackupPart } from '@hortus/contract/resources/backup-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { dumpActionOf } from './dump.ts';
import { exchange, feedDump, type Restoring, refill, replace, volumeParts } from './restore.ts';
import { startInstance } from './start-instance.ts';
import type { Taken } from './take.ts';

export interface Returning extends Restoring {
  /** Of the deployment that waits for the data: the revision that the data is of. */
  target: SignedManifest;
  /** Whether what was deployed runs again if this fails. Not where a job has changed its data for another version. */
  resume: boolean;
}

/**
 * Brings back the data that an earlier revision had, before that revision is deployed: its code must not meet the data of
 * another, nor the other way round. So everything is taken away first and nothing is started afterwards, except what a dump
 * has to be read by. The deployment that waits starts the rest.
 */
export async function returnData(returning: Returning): Promise<Taken> {
  const { safety, manifest, target, resume } = returning;
  return await exchange(returning, target, {
    bring: (parts) => bring(returning, parts),
    putBack: (parts) => (resume ? replace(returning, safety, parts) : refill(returning, safety, parts, manifest)),
  });
}

async function bring(returning: Returning, parts: readonly BackupPart[]): Promise<void> {
  const { engine, source, target } = returning;
  await refill(returning, source, parts, target);
  const dumps = parts.filter(({ kind }) => kind === 'dump');
  const component = dumpActionOf(target)?.component;
  if (dumps.length === 0 || component === undefined) return;
  // What a newer version has added to the data is in no dump, and would be in the way of one.
  for (const volume of dumpedVolumes(target, component, parts)) await engine.removeVolume(volume);
  await startInstance(returning, target, target.deployment_id ?? '', neededBy(target, component));
  for (const part of dumps) await feedDump({ engine, manifest: target }, source, part);
}

/** The volumes that are made anew from the dump, because the backup has no copy of them. */
function dumpedVolumes({ components }: SignedManifest, component: string, parts: readonly BackupPart[]): string[] {
  const copied = new Set(volumeParts(parts).map(({ name }) => name));
  const storage = components.find(({ name }) => name === component)?.storage ?? [];
  return storage.flatMap(({ name, volume }) => (volume === undefined || copied.has(name) ? [] : [volume]));
}

/** A component and all that it depends on. */
function neededBy({ components }: SignedManifest, component: string): Set<string> {
  const found = new Set([component]);
  // A set that grows while it is gone through is gone through to its end.
  for (const one of found)
    for (const name of Object.keys(components.find((other) => other.name === one)?.depends_on ?? {})) found.add(name);
  return found;
}
