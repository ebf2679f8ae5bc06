import { compareVersions } from '../notation/version-order.ts';
import { error, type Remark } from '../source/finding.ts';
import { compareApps, isReleaseOf } from '../upgrade/app-version.ts';
import { type Rule, repeated } from './rule.ts';

/** Checks that required stops, notes and changes of the data format fit the version of the application. */
export const upgrade: Rule = function* ({ version, app_version, upgrade: rules, backup, actions, components }) {
  if (rules === undefined) return;
  yield* refusals(rules.refuse ?? [], version);
  const { via = [], notes = [], dump_restore = [] } = rules;
  if (via.length + notes.length + dump_restore.length === 0) return;
  if (app_version === undefined) {
    yield error('no-app-version', ['upgrade'], 'its versions are those of app_version, which is missing');
    return;
  }
  yield* stops(via, app_version);
  for (const [index, { from, to }] of notes.entries()) {
    if (from !== undefined && compareApps(from, to) >= 0)
      yield error('upgrade-order', ['upgrade', 'notes', index, 'from'], `must be before ${to}`);
  }
  for (const [index, version] of repeated(dump_restore, (text) => text))
    yield error('duplicate', ['upgrade', 'dump_restore', index], `${version} is listed twice`);
  const dumps = backup.strategy === 'dump' || backup.strategy === 'both';
  if (dump_restore.length > 0 && !(dumps && backup.restore_command !== undefined))
    yield error('no-restore', ['upgrade', 'dump_restore'], 'needs a backup that dumps, and backup.restore_command');
  const dumped = actions.find(({ slug }) => slug === backup.dump_action)?.component ?? '';
  const stored = Object.hasOwn(components, dumped) ? (components[dumped]?.storage ?? []) : [];
  const copied = backup.volumes.find(({ name }) => stored.some((volume) => volume.name === name));
  if (dump_restore.length > 0 && copied !== undefined) {
    const message = `the volume ${copied.name} is copied in its old format beside the dump`;
    yield error('no-restore', ['upgrade', 'dump_restore'], message, 'remove it from backup.volumes');
  }
};

type Refusals = readonly { from?: string; before: string }[];

/** A refusal of later versions would never apply, and one of this version would refuse every upgrade from it. */
function* refusals(refuse: Refusals, version: string): Generator<Remark> {
  for (const [index, { from, before }] of refuse.entries()) {
    const path = ['upgrade', 'refuse', index];
    if (compareVersions(before, version) > 0)
      yield error('upgrade-order', [...path, 'before'], `must not be after the version ${version} of this template`);
    if (from !== undefined && compareVersions(from, before) >= 0)
      yield error('upgrade-order', [...path, 'from'], `must be before ${before}`);
  }
}

type Stops = readonly { version: string; app_version?: string }[];

function* stops(via: Stops, newest: string): Generator<Remark> {
  for (const [index, { version, app_version }] of via.entries()) {
    const path = ['upgrade', 'via', index];
    const before = via[index - 1]?.version;
    if (before !== undefined && compareApps(before, version) >= 0)
      yield error('upgrade-order', [...path, 'version'], `must be after ${before}; list stops in ascending order`);
    if (compareApps(version, newest) >= 0)
      yield error('upgrade-order', [...path, 'version'], `must be before the app_version ${newest}`);
    if (app_version !== undefined && !isReleaseOf(app_version, version))
      yield error('upgrade-order', [...path, 'app_version'], `${app_version} is not a release of ${version}`);
  }
}
