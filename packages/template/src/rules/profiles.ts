import { CanonicalTemplate, type Template } from '@hortus/contract/template/schema';
import { canonical } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { RUN_KEYS } from '../canonical/expand.ts';
import { mergePatch } from '../schema/merge-patch.ts';
import { didYouMean } from '../schema/nearest.ts';
import { checkSchema } from '../schema/schema-check.ts';
import { error, type Path, pathText, type Remark } from '../source/finding.ts';
import { RULES } from './all.ts';

/** Inputs, secrets and actions are the same in every profile. */
const CHANGEABLE = new Set(['image', 'vars', 'routes', 'components', 'backup', 'smoke', 'notes', 'deadline']);

/** Checks each profile by applying it: findings that appear only then are caused by the patch. */
export function* checkProfiles(template: Template, before: readonly Remark[]): Generator<Remark> {
  const spec = canonical(template);
  const known = new Set(before.map(({ code, path, message }) => `${code} ${pathText(path)} ${message}`));
  for (const name of Object.keys(template.profiles ?? {})) {
    const patch = spec.profiles[name] ?? {};
    const within = (remark: Remark): Remark => ({ ...remark, path: ['profiles', name, ...remark.path] });
    const fixed = Object.keys(template.profiles?.[name] ?? {}).filter(
      (key) => !CHANGEABLE.has(key) && !RUN_KEYS.has(key),
    );
    for (const key of fixed) {
      const path: Path = ['profiles', name, key];
      yield { ...error('profile', path, `a profile cannot change ${key}`, didYouMean(key, CHANGEABLE)), atKey: true };
    }
    if (fixed.length > 0) continue;
    const patched = mergePatch(spec, patch);
    const remarks = checkSchema(CanonicalTemplate, patched);
    if (remarks.length === 0) {
      const applied = withoutIdlePermissions(canonical(patched as Template), spec);
      for (const rule of RULES) {
        for (const remark of rule(applied)) {
          if (!known.has(`${remark.code} ${pathText(remark.path)} ${remark.message}`)) remarks.push(remark);
        }
      }
    }
    yield* remarks.map(within);
  }
}

/** A permission of a component that the profile removes has nothing to permit, which is no mistake. */
function withoutIdlePermissions(applied: Canonical, spec: Canonical): Canonical {
  const isIdle = (component: string) =>
    Object.hasOwn(spec.components, component) && !Object.hasOwn(applied.components, component);
  return {
    ...applied,
    permissions: applied.permissions.filter(({ component }) => component === undefined || !isIdle(component)),
  };
}
