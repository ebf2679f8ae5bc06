import { specHash } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { canonicalJson } from '@hortus/template/canonical-json';
import { newId } from '../../ids.ts';
import { begin, Taken } from '../../state/transition.ts';
import { RunAgain, type Storage, type Tx } from '../../storage/storage.ts';
import { CATALOG_TOPIC } from './catalog.ts';
import { templateLifecycle } from './lifecycle.ts';
import { CATALOG, findCatalogVersions } from './store.ts';

/**
 * Publishes the templates that come with this release. A version once published never changes: one that differs under
 * the same number is left as it was and named in the answer.
 */
export async function shipCatalog(storage: Storage, specs: readonly Canonical[]): Promise<{ changed: string[] }> {
  // Asked for together, they share their commits.
  const known = await Promise.all(specs.map((spec) => storage.write((tx) => ship(tx, spec))));
  const changed = specs.filter((spec, at) => known[at] !== undefined && known[at] !== specHash(spec));
  return { changed: changed.map(({ slug, version }) => `${slug} ${version}`) };
}

/** Answers the hash of the version that was there already. */
async function ship(tx: Tx, spec: Canonical): Promise<string | undefined> {
  const known = (await findCatalogVersions(tx, spec.slug)).find(({ version }) => version === spec.version);
  if (known) return known.spec_hash;
  await begin(
    tx,
    templateLifecycle,
    {
      id: newId('template'),
      owner: CATALOG,
      species: spec.slug,
      version: spec.version,
      name: spec.name,
      description: spec.description,
      archetype: spec.archetype,
      kingdom: spec.taxonomy.kingdom,
      family: spec.taxonomy.family,
      app_version: spec.app_version ?? '',
      spec: canonicalJson(spec),
      spec_hash: specHash(spec),
      deprecated: spec.deprecated ? 1 : 0,
      featured: spec.featured ? 1 : 0,
      source: null,
      validated_hash: null,
      created_at: tx.now,
      updated_at: tx.now,
    },
    'ship',
    null,
  ).catch((error) => {
    // Another replica that starts at this moment was quicker: look again at what it has published.
    throw error instanceof Taken ? new RunAgain() : error;
  });
  tx.notify(CATALOG_TOPIC);
  return undefined;
}
