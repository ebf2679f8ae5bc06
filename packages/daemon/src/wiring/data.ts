import { BackupActions } from '../backup/backup-actions.ts';
import { FolderStore } from '../backup/folder-store.ts';
import { S3Store } from '../backup/s3/s3-store.ts';
import { Acceptance } from '../deployments/acceptance.ts';
import { orderedManifest } from '../deployments/ordered-manifest.ts';
import { Transfers } from '../transfer/transfers.ts';
import type { Base } from './base.ts';
import type { Swarm } from './cluster.ts';
import type { Engines } from './engine.ts';
import type { Leader } from './leader.ts';
import type { Link } from './link.ts';
import type { Routing } from './routing.ts';

export type Data = ReturnType<typeof wireData>;

/** Moves the data of instances: into backups, out of them, and between servers. */
export function wireData(parts: Base & Leader & Swarm & Engines & Routing & Link) {
  const { config, journal, policy, serverId, publicKey, log, boundary, mayAct } = parts;
  const { cluster, relayTo, engine, viewOf, ingress, service } = parts;
  const { privateKey, publicKey: sealingKey } = journal.keyPair;
  const acceptance = new Acceptance({ journal, policy, serverId, publicKey });
  const store = config.backupBucket ? new S3Store(config.backupBucket) : new FolderStore(config.backupDirectory);
  const backups = new BackupActions({
    engine,
    cluster,
    viewOf,
    relayTo,
    ingress,
    journal,
    log,
    store,
    serverId,
    manifestOf: (deployment, signal) => orderedManifest({ service, acceptance, sealingKey }, deployment, signal),
    boundary,
  });
  const transfers = new Transfers({
    engine,
    service,
    stateDirectory: config.stateDirectory,
    journal,
    serverId,
    publicKey,
    privateKey,
    backups: store,
    leads: mayAct,
    log,
    boundary,
  });
  return { acceptance, backups, transfers };
}
