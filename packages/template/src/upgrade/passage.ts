import type { Canonical } from '../canonical/canonical-form.ts';
import { compareApps, reaches } from './app-version.ts';

/** A note about a version between the running one and the newer one. */
export interface UpgradeNote {
  readonly version: string;
  readonly text: string;
}

/** Lists the notes about versions that an upgrade reaches or passes, oldest first. */
export function notesBetween(from: Canonical, to: Canonical): UpgradeNote[] {
  const { app_version: target } = to;
  if (target === undefined) return [];
  const start = from.app_version;
  const concerns = (since: string | undefined) =>
    since === undefined || (start !== undefined && !reaches(start, target, since));
  return (to.upgrade?.notes ?? [])
    .filter((note) => reaches(start, target, note.to) && concerns(note.from))
    .sort((a, b) => compareApps(a.to, b.to))
    .map(({ to: version, text }) => ({ version, text }));
}

/** Tells whether the newer version can read the data of the running one. */
export function dataWay(from: Canonical, to: Canonical): 'kept' | 'dump_restore' {
  const { app_version: target, upgrade } = to;
  const changes = upgrade?.dump_restore ?? [];
  const isChanged = target !== undefined && changes.some((line) => reaches(from.app_version, target, line));
  return isChanged ? 'dump_restore' : 'kept';
}
