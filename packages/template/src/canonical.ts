import { createHash } from 'node:crypto';
import { CanonicalTemplate, type Template } from '@hortus/contract/template/schema';
import type { Canonical } from './canonical-form.ts';
import { canonicalJson } from './canonical-json.ts';
import { withDefaults } from './defaults.ts';
import { expand } from './expand.ts';
import { mergePatch } from './merge-patch.ts';
import type { Schema } from './schema-check.ts';

/**
 * The canonical spec of a valid template: sugar expanded, defaults applied, keys sorted. It is frozen, since what is
 * prepared from it is remembered by its identity. Canonical of a canonical spec is the same again.
 */
export function canonical(template: Template | Canonical): Canonical {
  const whole = withDefaults(CanonicalTemplate as unknown as Schema, expand(template as Template));
  return settled(whole) as Canonical;
}

const hashes = new WeakMap<Canonical, string>();

/** `sha256:` of the canonical text: the one name of this very spec in revision, plan, label and drift report. */
export function specHash(spec: Canonical): string {
  let hash = hashes.get(spec);
  if (hash === undefined) {
    hash = `sha256:${createHash('sha256').update(canonicalJson(spec)).digest('hex')}`;
    // Only a frozen spec is sure to keep its hash.
    if (Object.isFrozen(spec)) hashes.set(spec, hash);
  }
  return hash;
}

const profiled = new WeakMap<Canonical, Map<string, Canonical>>();

/** The spec as one of its profiles changes it; undefined for a profile it does not have. */
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

/** A frozen copy with sorted keys: what reading the canonical text back would give, without writing it. */
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
