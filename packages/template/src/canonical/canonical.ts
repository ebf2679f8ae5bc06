import { createHash } from 'node:crypto';
import { CanonicalTemplate, type Template } from '@hortus/contract/template/schema';
import { withDefaults } from '../schema/defaults.ts';
import { mergePatch } from '../schema/merge-patch.ts';
import type { Canonical } from './canonical-form.ts';
import { canonicalJson } from './canonical-json.ts';
import { expand } from './expand.ts';

/**
 * Returns the canonical spec of a valid template: shorthand expanded, defaults applied, keys sorted. It is frozen,
 * because derived data is cached by its identity. Idempotent.
 */
export function canonical(template: Template | Canonical): Canonical {
  const whole = withDefaults(CanonicalTemplate, expand(template as Template));
  return settled(whole) as Canonical;
}

const hashes = new WeakMap<Canonical, string>();

/** Returns `sha256:` of the canonical text, which identifies the spec in revisions, plans, labels and drift reports. */
export function specHash(spec: Canonical): string {
  let hash = hashes.get(spec);
  if (hash === undefined) {
    hash = `sha256:${createHash('sha256').update(canonicalJson(spec)).digest('hex')}`;
    // Only a frozen spec is guaranteed to keep its hash.
    if (Object.isFrozen(spec)) hashes.set(spec, hash);
  }
  return hash;
}

const profiled = new WeakMap<Canonical, Map<string, Canonical>>();

/** Returns the spec with a profile applied; undefined if it does not have the profile. */
export function withProfile(spec: Canonical, profile: string): Canonical | undefined {
  if (!Object.hasOwn(spec.profiles, profile)) return undefined;
  const patch = spec.profiles[profile] ?? {};
  if (Object.keys(patch).length === 0) return spec;
  let known = profiled.get(spec);
  if (known === undefined) {
    known = new Map();
    profiled.set(spec, known);
  }
  let patched = known.get(profile);
  if (patched === undefined) {
    patched = canonical(mergePatch(spec, patch) as Canonical);
    known.set(profile, patched);
  }
  return patched;
}

/** Returns a frozen copy with sorted keys, equal to parsing the canonical text. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map((item) => settled(item ?? null)));
  if (typeof value !== 'object' || value === null) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined) sorted[key] = settled(inner);
  }
  return Object.freeze(sorted);
}
