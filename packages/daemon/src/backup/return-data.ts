import type { BackupPart } from '@hortus/contract/resources/backup-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { dumpActionOf } from './dump.ts';
import { exchange, feedDump, type Restoring, refill, replace, volumeParts } from './restore.ts';
import { type Starting, startInstance } from './start-instance.ts';
import type { Taken } from './take.ts';

export interface Returning extends Restoring {
  /** Manifest of the waiting deployment, whose revision the data belongs to. */
  target: SignedManifest;
  /** Whether to start the previous version if this fails. False if a job changed its data for another version. */
  resume: boolean;
}

/**
 * Restores the data of an earlier revision before that revision is deployed: code and data of different revisions must
 * not meet. So all containers are removed first and none is started, except those that restore a dump. The waiting
 * deployment starts the rest.
 */
export async function returnData(returning: Returning): Promise<Taken> {
  const { safety, manifest, target, resume } = returning;
  return await exchange(returning, target, {
    bring: (parts) => bring(returning, parts),
    putBack: (parts) => (resume ? replace(returning, safety, parts) : refill(returning, safety, parts, manifest)),
  });
}

export type Bringing = Pick<Returning, 'source' | 'target' | 'boundary'> & Starting;

/** Fills the volumes of the target from the backup; starts only the components that restore a dump. */
export async function bring(returning: Bringing, parts: readonly BackupPart[]): Promise<void> {
  const { engine, source, target } = returning;
  await refill(returning, source, parts, target);
  const dumps = parts.filter(({ kind }) => kind === 'dump');
  const component = dumpActionOf(target)?.component;
  if (dumps.length === 0 || component === undefined) return;
  // Data added by the newer version is in no dump and would conflict with it.
  for (const volume of dumpedVolumes(target, component, parts)) await engine.removeVolume(volume);
  await startInstance(returning, target, target.deployment_id ?? '', neededBy(target, component));
  for (const part of dumps) await feedDump({ engine, manifest: target }, source, part);
}

/** Volumes that are rebuilt from the dump, because the backup has no copy of them. */
function dumpedVolumes({ components }: SignedManifest, component: string, parts: readonly BackupPart[]): string[] {
  const copied = new Set(volumeParts(parts).map(({ name }) => name));
  const storage = components.find(({ name }) => name === component)?.storage ?? [];
  return storage.flatMap(({ name, volume }) => (volume === undefined || copied.has(name) ? [] : [volume]));
}

/** Returns a component and its transitive dependencies. */
function neededBy({ components }: SignedManifest, component: string): Set<string> {
  const found = new Set([component]);
  // Iterating a set also visits elements added meanwhile.
  for (const one of found)
    for (const name of Object.keys(components.find((other) => other.name === one)?.depends_on ?? {})) found.add(name);
  return found;
}
