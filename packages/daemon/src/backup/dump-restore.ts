import type { BackupPart } from '@hortus/contract/resources/backup-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { type RestoresInto, rebuiltVolumes } from '@hortus/template/canonical/dump-restore';
import { primaryOf } from '@hortus/template/rollout/replacement';
import type { Engine } from '../engine/engine.ts';
import { containersOf, runningContainer } from '../instances/instance-containers.ts';
import { connectUsers } from '../networks/links.ts';
import { label } from '../plan/labels.ts';
import { dumpActionOf, feed } from './dump.ts';
import { readPart, type Vessel, volumeParts } from './part.ts';
import { type Starting, startInstance } from './start-instance.ts';

/**
 * Whether the dump must be restored into new volumes, before the rest of the application starts. The order decides,
 * because the manifest may have been stored under an older service; without either this is the rule.
 */
export const needsEmpty = (
  { backup }: SignedManifest,
  parts: readonly BackupPart[],
  ordered: RestoresInto | undefined,
): boolean => (ordered ?? backup.restore_into) !== 'running' && parts.some(({ kind }) => kind === 'dump');

/** Reads `restore_into` of an order; undefined in orders of older services. */
export const orderedInto = ({ restore_into }: Readonly<Record<string, unknown>>): RestoresInto | undefined =>
  restore_into === 'running' || restore_into === 'empty' ? restore_into : undefined;

/** What the dumps are restored for: the deployment that its containers are labelled with. */
export interface Target {
  manifest: SignedManifest;
  deploymentId: string;
}

/**
 * Restores the dumps of a backup into new volumes. Starts only the component that restores them and what it needs, out of
 * reach of other writers; the caller has removed all containers, and starts the rest.
 */
export async function restoreDumps(
  starting: Starting,
  { manifest, deploymentId }: Target,
  source: Vessel,
  parts: readonly BackupPart[],
): Promise<void> {
  const { engine, boundary } = starting;
  const dumps = parts.filter(({ kind }) => kind === 'dump');
  const component = dumpActionOf(manifest)?.component;
  if (dumps.length === 0 || component === undefined) return;
  // Data that is in no dump would conflict with it, such as the tables of a newer version.
  for (const volume of dumpedVolumes(manifest, component, parts)) await engine.removeVolume(volume);
  boundary?.('emptied for a restore');
  const needed = neededToRestore(manifest, component);
  await startInstance(starting, outOfReach(manifest), deploymentId, needed);
  for (const part of dumps) await feedDump({ engine, manifest }, source, part);
  boundary?.('dump is restored');
  await letUsersIn(engine, manifest, needed);
}

/** Without ports on the server: another program must not write into a database that is being filled. */
const outOfReach = (manifest: SignedManifest): SignedManifest => ({
  ...manifest,
  components: manifest.components.map((component) => ({
    ...component,
    ports: component.ports.map(({ host_port: _, host_ip: __, ...port }) => port),
  })),
});

/** Connects the instances that use the restored components, which a rollout of some components does not. */
async function letUsersIn(
  engine: Engine,
  { instance }: SignedManifest,
  components: ReadonlySet<string>,
): Promise<void> {
  for (const { id, labels, state } of await containersOf(engine, instance.uid))
    if (state === 'running' && components.has(labels[label.component] ?? '')) await connectUsers(engine, id, labels);
}

/** Volumes that are rebuilt from the dump, because the backup has no copy of them. */
function dumpedVolumes({ components }: SignedManifest, component: string, parts: readonly BackupPart[]): string[] {
  const copied = new Set(volumeParts(parts).map(({ name }) => name));
  const storage = components.find(({ name }) => name === component)?.storage ?? [];
  const rebuilt = rebuiltVolumes(storage, copied);
  return [...new Set(storage.flatMap(({ name, volume }) => (rebuilt.includes(name) ? (volume ?? []) : [])))];
}

/** Returns a component, those that the template requires for a restore, and their transitive dependencies. */
function neededToRestore({ components, backup }: SignedManifest, component: string): Set<string> {
  const found = new Set([component, ...(backup.restore_needs ?? [])]);
  // Iterating a set also visits elements added meanwhile.
  for (const text of found)
    for (const name of Object.keys(components.find((other) => other.name === text)?.depends_on ?? {})) found.add(name);
  return found;
}

export interface Feeding {
  engine: Engine;
  manifest: SignedManifest;
}

/** Lets the running application restore its data from a dump. */
export async function feedDump({ engine, manifest }: Feeding, source: Vessel, part: BackupPart): Promise<void> {
  const { backup, instance } = manifest;
  const action = dumpActionOf(manifest);
  const command = backup.restore_command;
  if (action === undefined || command === undefined)
    throw new Error('The template does not declare how to restore a dump.');
  const primary = primaryOf(manifest) === action.component;
  const container = await runningContainer(engine, instance.uid, action.component, primary);
  if (container === undefined) throw new Error(`The component ${action.component} is not running.`);
  const mark = `restore-${source.place.backupId}`;
  await readPart(source, part, (content) => feed({ engine, action, container, mark }, command, content));
}
