import { error } from '../source/finding.ts';
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
