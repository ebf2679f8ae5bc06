import type { BackupPart } from '@hortus/contract/resources/backup-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { restoreDumps } from './dump-restore.ts';
import { exchange, type Restoring, refill, replace } from './restore.ts';
import type { Starting } from './start-instance.ts';
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

export type Bringing = Pick<Returning, 'source' | 'target'> & Starting;

/** Fills the volumes of the target from the backup; starts only the components that restore a dump. */
export async function bring(returning: Bringing, parts: readonly BackupPart[]): Promise<void> {
  const { source, target } = returning;
  await refill(returning, source, parts, target);
  await restoreDumps(returning, { manifest: target, deploymentId: target.deployment_id ?? '' }, source, parts);
}
