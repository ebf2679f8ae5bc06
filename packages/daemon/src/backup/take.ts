import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BackupManifest, BackupPart } from '@hortus/contract/resources/backup-records';
import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { primaryOf } from '@hortus/template/rollout/replacement';
import { span } from '@hortus/tracing/span';
import type { Engine } from '../engine/engine.ts';
import { runningContainer } from '../instances/instance-containers.ts';
import type { PauseRecords } from '../journal/pauses.ts';
import { readVolume } from '../volumes/volumes.ts';
import { MANIFEST_FILE } from './backup-store.ts';
import { dump, dumpActionOf } from './dump.ts';
import { type Vessel, writePart } from './part.ts';
import { whilePaused } from './pause.ts';

export interface Taking {
  engine: Engine;
  pauses: PauseRecords;
  vessel: Vessel;
  manifest: SignedManifest;
  /** Images of the components, as recorded by the deployment. */
  images: readonly DeployedImage[];
  /** For tests that end the process there. */
  boundary?: ((moment: string) => void) | undefined;
}

/** Content of a backup: what the template declares, or all volumes for a safety backup. */
export type Extent = 'declared' | 'volumes';

export interface Taken {
  manifest: BackupManifest;
  /** Hash of the stored manifest, which in turn covers all parts. */
  manifest_sha256: string;
}

/** A volume of the instance: its name in the template and on the engine. */
interface InstanceVolume {
  name: string;
  volume: string;
  critical: boolean;
}

/**
 * Makes a backup. Runs the dump while the application runs, then stops it while its volumes are copied. The manifest is
 * written last; without it a backup does not count.
 */
export async function takeBackup(taking: Taking, extent: Extent = 'declared'): Promise<Taken> {
  const { vessel, manifest, images } = taking;
  await vessel.store.remove(vessel.place);
  const parts: BackupPart[] = [];
  const { strategy } = manifest.backup;
  const wanted = extent === 'volumes' ? 'volume' : strategy;
  if (wanted === 'none')
    throw new Error(`The template ${manifest.species} has no backup section, or its strategy is none.`);
  if (wanted !== 'volume') parts.push(await span('backup dump', {}, () => dumpPart(taking)));
  const volumes = wanted === 'dump' ? [] : chosenVolumes(manifest, extent);
  let stopped_ms = 0;
  if (volumes.length > 0) {
    const copied = await span('backup volumes', {}, () => copyVolumes(taking, volumes, extent));
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
  if (part.bytes === 0) throw new Error(`${action.slug} produced no output, so there is nothing to back up.`);
  return { ...part, entries: null };
}

/** Lists the volumes of the instance by template name; skips host paths, which are not backed up. */
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
    const found = all.find((volume) => volume.name === name);
    if (found === undefined) throw new Error(`${name} is not a volume of the instance.`);
    return { ...found, critical };
  });
}

async function copyVolumes(taking: Taking, volumes: readonly InstanceVolume[], extent: Extent) {
  const { engine, pauses, vessel, manifest, boundary } = taking;
  const instanceUid = vessel.place.instanceUid;
  // Detect missing volumes before anything is stopped.
  const present: InstanceVolume[] = [];
  for (const volume of volumes) {
    if (await engine.volume(volume.volume)) present.push(volume);
    else if (volume.critical && extent === 'declared')
      throw new Error(`The volume ${volume.name} does not exist (${volume.volume}).`);
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
