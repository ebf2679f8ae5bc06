import { error, type Path, warning } from '../finding.ts';
import { didYouMean } from '../nearest.ts';
import { type Rule, repeated } from './rule.ts';

/** Two components with a volume "data" rarely mean the same one, so sharing must be declared. */
export const storage: Rule = function* (spec) {
  const first = new Map<string, boolean>();
  for (const [component, { storage: mounts }] of Object.entries(spec.components)) {
    const path = ['components', component, 'storage'];
    for (const [index, name] of repeated(mounts, (mount) => mount.name)) {
      // Mounting one volume at two paths of a component is sharing too.
      if (mounts.filter((mount) => mount.name === name).every(({ shared }) => shared)) continue;
      yield error('duplicate', [...path, index, 'name'], `another storage of ${component} has the name ${name}`);
    }
    for (const [index, { name, shared, host_path }] of mounts.entries()) {
      if (host_path !== undefined) continue;
      const before = first.get(name);
      if (before !== undefined && !(before && shared) && !mounts.slice(0, index).some((mount) => mount.name === name)) {
        const hint = 'rename it, or set shared: true at each';
        yield error('duplicate', [...path, index, 'name'], `another component has a storage ${name}`, hint);
      }
      first.set(name, shared && (before ?? true));
    }
  }
};

export const backup: Rule = function* (spec) {
  const { strategy, volumes, dump_action, restore_command } = spec.backup;
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
  if (restore_command !== undefined && action?.type !== 'exec') {
    yield error(
      'no-dump',
      ['backup', 'restore_command'],
      'needs a dump_action of type exec, because it runs in the same component',
    );
  }
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
