import { CanonicalTemplate, type Template } from '@hortus/contract/template/schema';
import { canonical } from '../canonical/canonical.ts';
import { RUN_KEYS } from '../canonical/expand.ts';
import { didYouMean } from '../schema/nearest.ts';
import { checkSchema } from '../schema/schema-check.ts';
import { error, pathText, type Remark } from '../source/finding.ts';
import { patchedFor } from '../upgrade/stop-template.ts';
import { RULES } from './all.ts';
import { upgrade } from './upgrade.ts';

/** Choices of the user must stay valid at a stop, so inputs and secrets are those of the template. */
const CHANGEABLE = new Set([
  'image',
  'vars',
  'routes',
  'components',
  'backup',
  'smoke',
  'notes',
  'deadline',
  'actions',
]);

/** Checks the template of each required stop by deriving it: findings that appear only then are caused by its patch. */
export function* checkStops(template: Template, before: readonly Remark[]): Generator<Remark> {
  const stops = template.upgrade?.via ?? [];
  if (stops.length === 0) return;
  const spec = canonical(template);
  const known = new Set(before.map(keyOf));
  for (const [index, stop] of stops.entries()) {
    const path = ['upgrade', 'via', index, 'patch'];
    const fixed = Object.keys(stop.patch ?? {}).filter((key) => !CHANGEABLE.has(key) && !RUN_KEYS.has(key));
    for (const key of fixed) {
      const message = `the patch of a stop cannot change ${key}`;
      yield { ...error('stop', [...path, key], message, didYouMean(key, CHANGEABLE)), atKey: true };
    }
    const patched = fixed.length > 0 ? undefined : patchedFor(spec, stop);
    if (patched === undefined) continue;
    const remarks = checkSchema(CanonicalTemplate, patched);
    if (remarks.length === 0) {
      const applied = canonical(patched);
      // The stops are those of the newest version, not of a version that is a stop itself.
      for (const rule of RULES.filter((rule) => rule !== upgrade))
        for (const remark of rule(applied)) if (!known.has(keyOf(remark))) remarks.push(remark);
    }
    for (const { code, message, path: inner, ...rest } of remarks)
      yield { ...rest, code, path, message: `${pathText(inner)}: ${message}` };
  }
}

const keyOf = ({ code, path, message }: Remark): string => `${code} ${pathText(path)} ${message}`;
