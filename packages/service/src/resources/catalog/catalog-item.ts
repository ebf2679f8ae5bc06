import type { ShelfItem } from '@hortus/contract/resources/catalog';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { bytes } from '@hortus/template/notation/quantity';
import { mergePatch } from '@hortus/template/schema/merge-patch';
import { type CatalogTemplate, isOfCatalog } from '../templates/public.ts';

/** Shortens a template to what a page of the catalog shows and searches. */
export function catalogItem(template: CatalogTemplate): ShelfItem {
  const { id, species, name, description, family, version, app_version, featured, deprecated, taxonomy, logo } =
    template.item;
  return {
    ...{ id, species, name, description, family, version, app_version, featured, deprecated },
    kingdom: taxonomy.kingdom,
    tags: taxonomy.tags,
    memory_bytes: smallestMemory(template.spec),
    own: !isOfCatalog(template),
    logo_url: logo?.url ?? null,
  };
}

/**
 * Sums the memory limits of the services in the profile minimal; null if one has none, or depends on an input. Patches
 * the components only: applying the profile to hundreds of long templates would block the event loop.
 */
function smallestMemory({ components, profiles }: Canonical): number | null {
  const minimal = mergePatch(components, profiles.minimal?.components ?? {}) as Canonical['components'];
  const services = Object.values(minimal).filter(({ kind }) => kind === 'service');
  const limits = services.map(({ resources, replicas }) => {
    const number = bytes(String(resources.memory ?? resources.memory_reservation ?? ''));
    return number === undefined ? undefined : number * replicas;
  });
  return limits.reduce<number | null>(
    (sum, limit) => (sum === null || limit === undefined ? null : sum + limit),
    limits.length === 0 ? null : 0,
  );
}
