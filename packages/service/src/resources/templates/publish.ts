import { specHash } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { canonicalJson } from '@hortus/template/canonical-json';
import { newId } from '../../ids.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { begin } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { CATALOG_TOPIC } from './catalog.ts';
import { templateLifecycle } from './lifecycle.ts';
import { CATALOG, findCatalogVersions, markDeprecated, type TemplateRow, useTemplate } from './store.ts';

/** Work that follows when a version can be had: its payload is a `Publication`. */
export const PUBLISHED = 'templates.published';

export interface Publication {
  readonly species: string;
  /** The catalog, or the account whose own template it is. */
  readonly owner: string;
}

/** Put down with the publication itself, so that neither is without the other. */
export const followPublication = (tx: Tx, { species, owner }: Publication): Promise<void> =>
  enqueue(tx, { kind: PUBLISHED, key: `${owner} ${species}`, payload: { species, owner } });

/** Who a template is from, where it did not come with Hortus. */
export interface Author {
  readonly accountId: string;
  readonly name: string;
}

/** Puts a version into the catalog, for everybody; throws `taken` if there is one of this number already. */
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
    author_account: author?.accountId ?? null,
    author: author?.name ?? null,
    created_at: tx.now,
    updated_at: tx.now,
  };
  const published = await begin(tx, templateLifecycle, row, 'ship', null, taken);
  // Nothing runs an earlier version of what has none, and a first start publishes the whole catalog.
  if ((await findCatalogVersions(tx, spec.slug)).length > 1) await followPublication(tx, published);
  tx.notify(CATALOG_TOPIC);
  return published;
}

/** A species belongs to whoever published it first; nobody else adds versions to it. */
export async function mayPublish(queries: Queries, species: string, accountId: string): Promise<boolean> {
  const versions = await findCatalogVersions(queries, species);
  return versions.every(({ author_account }) => author_account === accountId);
}

/**
 * Whether what somebody is about to plant is there, and will be until it is planted: one that was brought to an account may
 * have been taken back since this process read it. The catalog's never are.
 */
export const isStillThere = async (tx: Tx, id: string): Promise<boolean> => (await useTemplate(tx, id)) !== undefined;

/** It still works for those who have it, but nothing new should be built from it. */
export async function deprecate(tx: Tx, templateId: string): Promise<void> {
  await markDeprecated(tx, templateId);
  tx.notify(CATALOG_TOPIC);
}
