import { join } from 'node:path';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { loadCatalog } from '@hortus/template/catalog/load';
import { exampleInputs } from '@hortus/template/inputs/example-inputs';
import { checkInputs } from '@hortus/template/inputs/inputs';
import { resolve } from '@hortus/template/resolution/resolve';
import { generateSecrets } from '@hortus/template/secrets/secrets';

export const catalogFolder = join(import.meta.dirname, '..', '..', 'catalog');

/** Reads the species of a catalog by slug; default is the bundled catalog. */
export async function readCatalog(folder = catalogFolder): Promise<Map<string, Canonical>> {
  const loaded = await loadCatalog(folder);
  return new Map(
    loaded.map(({ species, spec, findings }) => {
      if (spec === undefined) throw new Error(`${species} is not valid: ${findings[0]?.message}`);
      return [species, spec];
    }),
  );
}

/** Images of a manifest, with those of its actions. */
export const imagesOf = ({ components, actions }: Manifest): string[] => [
  ...components.map(({ image }) => image),
  ...actions.flatMap(({ image }) => image ?? []),
];

export interface Edition {
  readonly profile: string;
  readonly variant: string | undefined;
  readonly manifest: Manifest;
}

/** Resolves a species in each profile and variant, with example inputs, generated secrets and fulfilled needs. */
export async function editions(spec: Canonical, uid: string): Promise<Edition[]> {
  const checked = checkInputs(spec, exampleInputs(spec), { mode: 'create' });
  if (!checked.ok) throw new Error(`${spec.slug}: ${checked.problems[0]?.field} ${checked.problems[0]?.message}`);
  const input = Object.fromEntries(Object.entries(checked.values).map(([name, value]) => [name, String(value)]));
  const secrets = await generateSecrets(spec, { existing: input });
  const needs = Object.fromEntries(spec.needs.map((need) => [need.as, { host: 'example', port: '1' }]));
  const variants = spec.image?.variants.map(({ id }) => id) ?? [];
  const instance = { uid, name: spec.name, server_id: 'srv_paper' };
  return Object.keys(spec.profiles).flatMap((profile) =>
    (variants.length > 0 ? variants : [undefined]).map((variant) => {
      const chosen = variant === undefined ? { profile } : { profile, variant };
      const resolution = resolve(spec, { ...chosen, inputs: checked.values, secrets, instance, needs });
      if (!resolution.ok) throw new Error(`${spec.slug} in ${profile}: ${resolution.problems[0]?.message}`);
      return { profile, variant, manifest: resolution.manifest };
    }),
  );
}
