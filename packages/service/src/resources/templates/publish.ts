import { specHash } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { enqueue } from '../../jobs/enqueue.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { CATALOG_TOPIC } from './catalog.ts';
import { templateLifecycle } from './lifecycle.ts';
import { CATALOG, findCatalogVersions, markDeprecated, type TemplateRow, useTemplate } from './store.ts';

/** Job that follows a publication; its payload is a `Publication`. */
export const PUBLISHED = 'templates.published';

export interface Publication {
  readonly species: string;
  /** The catalog, or the account that owns the template. */
  readonly owner: string;
}

/** Enqueued in the transaction of the publication. */
export const followPublication = (tx: Tx, { species, owner }: Publication): Promise<void> =>
  enqueue(tx, { kind: PUBLISHED, key: `${owner} ${species}`, payload: { species, owner } });

/** Author of a template that does not come with Hortus. */
export interface Author {
  readonly accountId: string;
  readonly name: string;
}

/** Publishes a version to the catalog; throws `taken` if the version exists. */
export async function publish(
  tx: Tx,
  spec: Canonical,
  author: Author | null,
  taken: () => Error,
): Promise<TemplateRow> {
  const row = {
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
    deprecated: spec.deprecated ? (1 as const) : (0 as const),
    featured: spec.featured ? (1 as const) : (0 as const),
    source: null,
    validated_hash: null,
    verified_at: null,
    verified_digest: null,
    author_account: author?.accountId ?? null,
    author: author?.name ?? null,
    created_at: tx.now,
    updated_at: tx.now,
  };
  const published = await begin(tx, templateLifecycle, row, 'ship', null, taken);
  // The first version of a species has no upgrades, and a first start publishes the whole catalog.
  if ((await findCatalogVersions(tx, spec.slug)).length > 1) await followPublication(tx, published);
  tx.notify(CATALOG_TOPIC);
  return published;
}

/** A species belongs to its first author; others cannot add versions. */
export async function mayPublish(queries: Queries, species: string, accountId: string): Promise<boolean> {
  const versions = await findCatalogVersions(queries, species);
  return versions.every(({ author_account }) => author_account === accountId);
}

/**
 * Whether the template of a new definition still exists, and locks it: one that an import added may have been removed
 * since this process loaded it. Templates of the catalog are never removed.
 */
export const templateExists = async (tx: Tx, id: string): Promise<boolean> => (await useTemplate(tx, id)) !== undefined;

/** Marks a template as deprecated: existing definitions keep working. */
export async function deprecate(tx: Tx, templateId: string): Promise<void> {
  await markDeprecated(tx, templateId);
  tx.notify(CATALOG_TOPIC);
}
