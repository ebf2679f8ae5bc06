import type { BackupManifest } from '@hortus/contract/resources/backup-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { RestoresInto } from '@hortus/template/canonical/dump-restore';
import { primaryOf } from '@hortus/template/rollout/replacement';
import type { Engine } from '../engine/engine.ts';
import { runningContainer } from '../instances/instance-containers.ts';
import type { RelayTo } from '../instances/ways.ts';
import type { RolloutDeps } from '../rollout/rollout.ts';
import { smokeFailure, smokeReport } from '../smoke/report.ts';
import { runSmoke } from '../smoke/smoke.ts';
import { feedDump, needsEmpty, restoreDumps } from './dump-restore.ts';
import { checkPart, type Vessel } from './part.ts';
import { readManifest } from './read-manifest.ts';
import { checkFit, fillVolume } from './restore.ts';
import { type Starting, startInstance } from './start-instance.ts';
import { volumesOf } from './take.ts';
import { clearTrials, isolate, trialManifest } from './trial.ts';

export interface Verifying {
  engine: Engine;
  cluster?: Starting['cluster'];
  /** Reaches tasks of a cluster that have no address on this machine. */
  relayTo?: RelayTo | undefined;
  source: Vessel;
  manifest: SignedManifest;
  manifestSha256: string;
  /** Where a restore would read the dump. */
  into: RestoresInto | undefined;
  say(line: string): void;
  signal?: AbortSignal | undefined;
}

/** Result: the application started with the data and passed its test, or the data could only be read. */
export type Proof = 'restored' | 'read';

/**
 * Verifies a backup by restoring it into a temporary, isolated application. Throws a description of the first problem.
 */
export async function verify(verifying: Verifying): Promise<Proof> {
  const { source, manifest, manifestSha256, say } = verifying;
  const backup = await readManifest(source, manifestSha256);
  for (const part of backup.parts) await checkPart(source, part);
  checkNotEmpty(backup, manifest);
  say(`Verified all ${backup.parts.length} parts of the backup`);
  const dumped = backup.parts.some(({ kind }) => kind === 'dump');
  if (dumped && manifest.backup.restore_command === undefined) {
    say('The template does not declare how to restore a dump, so the dump was only read');
    return 'read';
  }
  checkFit(backup, manifest);
  await tryOut(verifying, backup);
  return 'restored';
}

/** Throws for an empty backup, which would be read without an error. */
function checkNotEmpty(backup: BackupManifest, manifest: SignedManifest): void {
  if (backup.parts.length === 0) throw new Error('The backup is empty.');
  const critical = new Set(manifest.backup.volumes.filter((volume) => volume.critical).map(({ name }) => name));
  for (const { kind, name, bytes, entries } of backup.parts) {
    if (kind === 'dump' && bytes === 0) throw new Error(`The output of ${name} is empty.`);
    if (kind === 'volume' && entries === 0 && critical.has(name)) throw new Error(`The volume ${name} is empty.`);
  }
}

async function tryOut(
  { engine, cluster, relayTo, source, manifest, into, say, signal }: Verifying,
  backup: BackupManifest,
): Promise<void> {
  const trial = trialManifest(manifest);
  const { uid } = trial.instance;
  try {
    await isolate(engine, trial);
    for (const part of backup.parts) {
      if (part.kind !== 'volume') continue;
      const volume = volumesOf(trial).find(({ name }) => name === part.name)?.volume;
      if (volume !== undefined) await fillVolume({ engine, manifest: trial }, source, part, volume);
    }
    const starting = { engine, cluster, ingress: noIngress, say, signal };
    const empty = needsEmpty(trial, backup.parts, into);
    const deploymentId = `trial-${backup.backup_id}`;
    if (empty) await restoreDumps(starting, { manifest: trial, deploymentId }, source, backup.parts);
    await startInstance(starting, trial, deploymentId);
    for (const part of backup.parts) {
      if (part.kind === 'dump' && !empty) await feedDump({ engine, manifest: trial }, source, part);
    }
    const primary = primaryOf(trial);
    const containerOf = (name: string) => runningContainer(engine, uid, name, name === primary);
    // Route checks ask the container directly; they need the routes for the port.
    const tested = { ...trial, routes: manifest.routes };
    const result = await runSmoke({ engine, manifest: tested, containerOf, relayTo, ...(signal ? { signal } : {}) });
    for (const line of smokeReport(result).trimEnd().split('\n')) say(line);
    const failed = smokeFailure(result);
    if (failed !== undefined) throw new Error(`The restored application failed its test. ${failed}`);
  } finally {
    await clearTrials(engine, manifest.server_id, uid);
  }
}

/** A trial has no routes. */
const noIngress: RolloutDeps['ingress'] = {
  routesOf: () => [],
  taken: () => undefined,
  lead: async () => undefined,
  trouble: undefined,
};
