import type { Action } from '@hortus/contract/template/actions';
import type { Canonical } from '../canonical/canonical-form.ts';
import { dumped, rebuiltVolumes } from '../canonical/dump-restore.ts';
import { didYouMean } from '../schema/nearest.ts';
import { error, type Path, type Remark, warning } from '../source/finding.ts';
import { type Rule, repeated } from './rule.ts';

export const backup: Rule = function* (spec) {
  const { strategy, volumes, dump_action } = spec.backup;
  const known = new Map<string, { critical: boolean; path: Path }>();
  for (const [component, { storage: mounts }] of Object.entries(spec.components)) {
    for (const [index, { name, critical, host_path }] of mounts.entries()) {
      if (host_path === undefined) known.set(name, { critical, path: ['components', component, 'storage', index] });
    }
  }
  for (const [index, { name }] of volumes.entries()) {
    if (!known.has(name)) {
      yield error(
        'unknown-storage',
        ['backup', 'volumes', index, 'name'],
        `there is no storage ${name}`,
        didYouMean(name, known.keys()),
      );
    }
  }
  for (const [index, name] of repeated(volumes, (volume) => volume.name)) {
    yield error('duplicate', ['backup', 'volumes', index], `${name} is listed twice`);
  }
  const dumps = strategy === 'dump' || strategy === 'both';
  const action = spec.actions.find(({ slug }) => slug === dump_action);
  if (dumps && dump_action === undefined) {
    yield error('no-dump', ['backup', 'strategy'], `the strategy ${strategy} needs a dump_action`);
  } else if (dump_action !== undefined && action === undefined) {
    const slugs = spec.actions.map(({ slug }) => slug);
    yield error(
      'unknown-action',
      ['backup', 'dump_action'],
      `there is no action ${dump_action}`,
      didYouMean(dump_action, slugs),
    );
  } else if (action?.params.some((param) => param.required && param.default === undefined)) {
    yield error(
      'no-dump',
      ['backup', 'dump_action'],
      `the required params of ${dump_action} have no default, and a backup cannot ask for them`,
    );
  }
  yield* restoring(spec, action?.type);
  if ((strategy === 'volume' || strategy === 'both') && volumes.length === 0) {
    yield error('no-volumes', ['backup', 'strategy'], `the strategy ${strategy} needs volumes`);
  }
  for (const [name, { critical, path }] of known) {
    // Data in a dump need not be copied as files too, but only the author knows which volume that is.
    const saved =
      strategy !== 'none' && (strategy === 'dump' || volumes.some((volume) => volume.name === name) || dumps);
    if (critical && !saved) {
      yield warning('no-backup', path, `${name} is critical but not part of the backup`, 'list it in backup.volumes');
    }
  }
};

/** Whether a component keeps its data elsewhere: no volume of it is emptied, nor replaced by a copy. */
const isElsewhere = (storage: Canonical['components'][string]['storage'], copied: ReadonlySet<string>): boolean =>
  rebuiltVolumes(storage, copied).length === 0 && !storage.some(({ name }) => copied.has(name));

/** A dump that cannot be restored is found out on the day it is needed, so it is an error. */
function* restoring(
  { backup: declared, components, actions }: Canonical,
  dumpedBy: Action['type'] | undefined,
): Generator<Remark> {
  const { strategy, dump_action, restore_command, restore_into, restore_reason, restore_needs } = declared;
  const dumps = strategy === 'dump' || strategy === 'both';
  if (restore_command !== undefined && dumpedBy !== 'exec') {
    yield error(
      'no-dump',
      ['backup', 'restore_command'],
      'needs a dump_action of type exec, because it runs in the same component',
    );
  } else if (restore_command === undefined && dumps && dumpedBy !== undefined) {
    yield error(
      'no-restore',
      ['backup', 'dump_action'],
      `the output of ${dump_action} is backed up, but nothing restores it`,
      'set restore_command to a command that reads it from standard input, or use the strategy volume',
    );
  }
  for (const [key, value] of Object.entries({ restore_into, restore_reason, restore_needs })) {
    if (value !== undefined && restore_command === undefined)
      yield error('no-restore', ['backup', key], `${key} has no effect without restore_command`);
  }
  const running = restore_into === 'running';
  if (restore_needs !== undefined && running)
    yield error('no-restore', ['backup', 'restore_needs'], 'restore_needs has no effect with restore_into: running');
  if (running && restore_command !== undefined && restore_reason === undefined)
    yield error(
      'no-reason',
      ['backup', 'restore_into'],
      'running mixes the dump with what the database has meanwhile, so it needs a reason',
      'set restore_reason, or leave restore_into out: the dump is then read into an empty database',
    );
  if (!running && restore_reason !== undefined)
    yield error('no-restore', ['backup', 'restore_reason'], 'restore_reason is for restore_into: running only');
  const { component, storage, copied } = dumped({ backup: declared, actions, components });
  if (!running && dumps && restore_command !== undefined && component && isElsewhere(storage, copied))
    yield warning(
      'not-emptied',
      ['backup', 'restore_command'],
      `${component} has no volume, so a restore reads the dump into a database that it cannot empty`,
      'let dump_action run in the component of the database',
    );
  for (const [index, name] of (restore_needs ?? []).entries()) {
    if (Object.hasOwn(components, name)) continue;
    const known = didYouMean(name, Object.keys(components));
    yield error('unknown-component', ['backup', 'restore_needs', index], `there is no component ${name}`, known);
  }
}
