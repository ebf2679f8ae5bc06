import type { BackupManifest } from '@hortus/contract/resources/backup-records';
import type { Cluster } from '../engine/cluster.ts';
import { labelsOf } from '../plan/labels.ts';
import type { ViewOf } from '../swarm/instance-views.ts';
import { moveFromLost } from '../swarm/lost-node.ts';
import { checkPart, type Vessel } from './part.ts';
import { readManifest } from './read-manifest.ts';
import { checkFit, type Replacing, replace } from './restore.ts';
import { volumesOf } from './take.ts';

export interface RestoringElsewhere extends Omit<Replacing, 'engine' | 'cluster'> {
  cluster: Cluster;
  viewOf: ViewOf;
  source: Vessel;
  manifestSha256: string;
  /** Id of the lost node. */
  lost: string;
}

/**
 * Brings an instance whose node is lost back on another node, from a backup. Nothing is left to make a safety backup of. Idempotent
 * until the data is complete, and without effect afterwards, so another leader can continue what the last one began.
 */
export async function restoreElsewhere(restoring: RestoringElsewhere): Promise<void> {
  const { cluster, viewOf, source, manifestSha256, manifest, lost, say, signal } = restoring;
  const { uid } = manifest.instance;
  const backup: BackupManifest = await readManifest(source, manifestSha256);
  checkFit(backup, manifest);
  for (const part of backup.parts) await checkPart({ ...source, signal }, part);
  const own = labelsOf({ serverId: manifest.server_id, uid, definitionId: manifest.definition_id });
  const moving = await moveFromLost({ cluster, manifest, own, lost });
  if (moving === undefined) {
    say('The instance is on another node already; nothing was restored');
    return;
  }
  const { node, lostName } = moving;
  say(`Node ${lostName} is lost; restoring backup ${backup.backup_id} on node ${node.name}`);
  const view = await viewOf(uid);
  const volumes = volumesOf(manifest).map(({ volume }) => volume);
  // What an earlier life of the instance left on this node must not mix with the backup.
  for (const volume of volumes) await view.engine.removeVolume(volume);
  await moving.pin();
  await replace({ ...restoring, ...view }, source, backup.parts);
  await moving.done();
  say(`Restored the data of ${backup.taken_at}; what was written later is missing`);
  say(`The former volumes remain on node ${lostName} and are not used any more: ${volumes.join(', ')}`);
}
