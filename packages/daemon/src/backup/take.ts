import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BackupManifest, BackupPart } from '@hortus/contract/resources/backup-records';
import type { DeployedImage } from '@hortus/contract/resources/deployments';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { primaryOf } from '@hortus/template/rollout/replacement';
import { runningContainer } from '../actions/instance-containers.ts';
import type { Engine } from '../engine/engine.ts';
import type { Pauses } from '../journal/pauses.ts';
import { readVolume } from '../volumes/volumes.ts';
import { MANIFEST_FILE } from './backup-store.ts';
import { dump, dumpActionOf } from './dump.ts';
import { type Vessel, writePart } from './part.ts';
import { whilePaused } from './pause.ts';

export interface Taking {
  engine: Engine;
  pauses: Pauses;
  vessel: Vessel;
  manifest: SignedManifest;
  /** What its components run, as the deployment has settled it. */
  images: readonly DeployedImage[];
  /** For tests, which end the process there. */
  boundary?: ((moment: string) => void) | undefined;
}

/** What a backup holds: what the template says, or, of what is about to be replaced, everything. */
export type Extent = 'declared' | 'volumes';

export interface Taken {
  manifest: BackupManifest;
  /** Of the manifest as it is stored: whoever has this knows everything else by it. */
  manifest_sha256: string;
}

/** A volume of the instance: as the template calls it, and as the engine does. */
interface InstanceVolume {
  name: string;
  volume: string;
  critical: boolean;
}

/**
 * Makes a backup. First the dump, while the application runs; then it is stopped for as long as its volumes are copied. The
 * manifest is written last: a backup without one is none.
 */
export async function takeBackup(taking: Taking, extent: Extent = 'declared'): Promise<Taken> {
  const { vessel, manifest, images } = taking;
  await vessel.store.remove(vessel.place);
  const parts: BackupPart[] = [];
  const { strategy } = manifest.backup;
  const wanted = extent === 'volumes' ? 'volume' : strategy;
  if (wanted === 'none')
    throw new Error(`The template ${manifest.species} has no backup section, or one that says none.`);
  if (wanted !== 'volume') parts.push(await dumpPart(taking));
  const volumes = wanted === 'dump' ? [] : chosenVolumes(manifest, extent);
  let stopped_ms = 0;
  if (volumes.length > 0) {
    const copied = await copyVolumes(taking, volumes, extent);
    parts.push(...copied.result);
    stopped_ms = copied.stoppedMs;
  }
  const { backupId, instanceUid } = vessel.place;
  const written: BackupManifest = {
    format: 2,
    backup_id: backupId,
    instance_uid: instanceUid,
    definition_id: manifest.definition_id,
    species: manifest.species,
    template_version: manifest.template_version,
    spec_hash: manifest.spec_hash,
    revision: manifest.revision,
    images: [...images],
    taken_at: new Date().toISOString(),
    stopped_ms,
    parts,
  };
  const text = JSON.stringify(written);
  await vessel.store.write(vessel.place, MANIFEST_FILE, Readable.from([text], { objectMode: false }));
  return { manifest: written, manifest_sha256: createHash('sha256').update(text).digest('hex') };
}

async function dumpPart({ engine, manifest, vessel }: Taking): Promise<BackupPart> {
  const action = dumpActionOf(manifest);
  if (action === undefined) throw new Error(`The template ${manifest.species} has no dump_action of type exec.`);
  const { instanceUid: uid, backupId } = vessel.place;
  const primary = primaryOf(manifest) === action.component;
  const container = await runningContainer(engine, uid, action.component, primary);
  if (container === undefined)
    throw new Error(`The component ${action.component} is not running, so nothing can be dumped.`);
  const run = { engine, action, container, mark: backupId, signal: vessel.signal };
  const part = await dump(run, (output) => writePart(vessel, { kind: 'dump', name: action.slug }, output));
  if (part.bytes === 0) throw new Error(`${action.slug} wrote nothing, so there would be nothing to restore.`);
  return { ...part, entries: null };
}

/** Volumes of the instance by the names of the template; what is a path of the server is not ours to copy. */
export function volumesOf({ components }: SignedManifest): InstanceVolume[] {
  const found = new Map<string, InstanceVolume>();
  for (const { name, volume, critical } of components.flatMap(({ storage }) => storage)) {
    if (volume !== undefined) found.set(name, { name, volume, critical });
  }
  return [...found.values()];
}

function chosenVolumes(manifest: SignedManifest, extent: Extent): InstanceVolume[] {
  const all = volumesOf(manifest);
  if (extent === 'volumes') return all;
  return manifest.backup.volumes.map(({ name, critical }) => {
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${name} is no volume of the instance.`);
    return { ...found, critical };
  });
}

async function copyVolumes(taking: Taking, volumes: readonly InstanceVolume[], extent: Extent) {
  const { engine, pauses, vessel, manifest, boundary } = taking;
  const instanceUid = vessel.place.instanceUid;
  // What is not there is found out before anything is stopped for it.
  const present: InstanceVolume[] = [];
  for (const one of volumes) {
    if (await engine.volume(one.volume)) present.push(one);
    else if (one.critical && extent === 'declared')
      throw new Error(`The volume ${one.name} is not there (${one.volume}).`);
  }
  const order = manifest.components.map(({ name }) => name);
  return await whilePaused({ engine, pauses }, { instanceUid, order }, async () => {
    boundary?.('stopped for a backup');
    const parts: BackupPart[] = [];
    for (const { name, volume } of present) {
      const place = { engine, serverId: manifest.server_id, volume, signal: vessel.signal };
      const part = await readVolume(place, async (content, facts) => ({
        ...(await writePart(vessel, { kind: 'volume', name }, content)),
        entries: facts().entries,
      }));
      parts.push(part);
    }
    return parts;
  });
}
