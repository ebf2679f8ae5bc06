import { compareVersions } from '../notation/version-order.ts';
import type { Canonical } from './canonical-form.ts';

export type RestoresInto = 'empty' | 'running';

/** A mount of a component, in a template or in a manifest. */
interface Mount {
  readonly name: string;
  readonly host_path?: string | undefined;
  readonly read_only: boolean;
  readonly critical: boolean;
}

/**
 * Tells whether a dump is read into an emptied database before the application starts, or by the running application.
 * Absence means `empty`, also in templates published before that was the rule: neither their canonical form nor their
 * hash changes.
 */
export function restoresInto({ slug, version, backup }: Pick<Canonical, 'slug' | 'version' | 'backup'>): RestoresInto {
  return backup.restore_into ?? (createsItsDatabase(slug, version) ? 'running' : 'empty');
}

/**
 * Versions of the catalog, published before the rule, whose application creates the database or the user that
 * restore_command needs. These versions create both before they read the dump.
 */
const createdByCommandSince: Readonly<Record<string, string>> = { dify: '1.2.0', temporal: '1.1.0', wallabag: '1.2.0' };

function createsItsDatabase(slug: string, version: string): boolean {
  const since = Object.hasOwn(createdByCommandSince, slug) ? createdByCommandSince[slug] : undefined;
  return since !== undefined && compareVersions(version, since) < 0;
}

/**
 * As `restoresInto`, for a daemon that may empty every volume of the component (`keepsVolumes` false): it must not lose
 * one that no dump rebuilds, unless the template said `empty` when that was the rule.
 */
export function restoresIntoOn(spec: Canonical, keepsVolumes: boolean): RestoresInto {
  if (keepsVolumes || spec.backup.restore_into !== undefined) return restoresInto(spec);
  const { storage, copied } = dumped(spec);
  return keptVolumes(storage, copied).length > 0 ? 'running' : restoresInto(spec);
}

/** Mounts of the component that is dumped, and the volumes that the backup has copies of. */
export function dumped({ backup, actions, components }: Pick<Canonical, 'backup' | 'actions' | 'components'>) {
  const component = actions.find(({ slug }) => slug === backup.dump_action)?.component;
  const storage = component === undefined ? [] : (components[component]?.storage ?? []);
  const copied: ReadonlySet<string> = new Set(backup.volumes.map(({ name }) => name));
  return { component, storage, copied };
}

/**
 * Names the volumes of the dumped component that its dump rebuilds, so that they are emptied before it is read. A volume
 * that it only reads is not in a dump, nor are less important volumes beside critical ones, nor is one that the backup
 * has a copy of.
 */
export function rebuiltVolumes(storage: readonly Mount[], copied: ReadonlySet<string>): string[] {
  const written = storage.filter(({ host_path, read_only }) => host_path === undefined && !read_only);
  const critical = written.filter((mount) => mount.critical);
  const rebuilt = critical.length > 0 ? critical : written;
  return [...new Set(rebuilt.map(({ name }) => name))].filter((name) => !copied.has(name));
}

/** Names the volumes of the dumped component that are neither rebuilt nor copied. */
export function keptVolumes(storage: readonly Mount[], copied: ReadonlySet<string>): string[] {
  const rebuilt = rebuiltVolumes(storage, copied);
  const names = storage.flatMap(({ name, host_path }) => (host_path === undefined ? name : []));
  return [...new Set(names)].filter((name) => !rebuilt.includes(name) && !copied.has(name));
}
