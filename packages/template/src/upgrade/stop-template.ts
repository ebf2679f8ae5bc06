import type { UpgradeRules } from '@hortus/contract/template/upgrade';
import { canonical } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { expandPatch } from '../canonical/expand.ts';
import { mergePatch } from '../schema/merge-patch.ts';
import { isMapping } from '../schema/schema-check.ts';

type Stop = NonNullable<UpgradeRules['via']>[number];

/**
 * Derives a template for each required stop that declares how: the catalog has only the newest version of a species, and
 * an installation may never have had the one for the stop.
 */
export function stopTemplates(spec: Canonical): Canonical[] {
  // A pre-release of a pre-release would sort after it.
  if (spec.version.includes('-')) return [];
  return (spec.upgrade?.via ?? []).flatMap((stop) => {
    const patched = patchedFor(spec, stop);
    return patched === undefined ? [] : [canonical(patched)];
  });
}

/** Applies the patch of a stop; undefined if it has none. The result may not fit the schema. */
export function patchedFor(spec: Canonical, { version, app_version, patch }: Stop): Canonical | undefined {
  if (patch === undefined) return undefined;
  const [core] = spec.version.split('+');
  return {
    ...(mergePatch(spec, expandPatch(withoutDigests(patch) as Record<string, unknown>)) as Canonical),
    // A pre-release of the version that declares the stop: between the earlier versions and this one.
    version: `${core}-via.${version}`,
    app_version: app_version ?? version,
  };
}

/** Another tag means another image, so the digest of the newest one must not stay beside it. */
function withoutDigests(patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map(withoutDigests);
  if (!isMapping(patch)) return patch;
  const inner = Object.fromEntries(Object.entries(patch).map(([key, value]) => [key, withoutDigests(value)]));
  return typeof inner.tag === 'string' && inner.digest === undefined ? { ...inner, digest: null } : inner;
}
