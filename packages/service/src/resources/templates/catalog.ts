import type { ImageVariant } from '@hortus/contract/resources/template-spec-shapes';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import { canonical } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import type { Queries } from '../../storage/storage.ts';
import { iso } from '../../time.ts';
import { listCatalogTemplates, type TemplateRow } from './store.ts';
import { compareVersions } from './version-order.ts';

/** Told when the published catalog changed, on whichever replica. */
export const CATALOG_TOPIC = 'catalog';

export interface CatalogTemplate {
  readonly item: TemplateItem;
  readonly spec: Canonical;
  readonly variants: ImageVariant[];
}

/**
 * The catalog in memory. It is small, changes seldom and is read by nearly every request, so each process keeps it whole
 * and loads it again when somebody says that it changed.
 */
export class Catalog {
  readonly #reader: Queries;
  #all: readonly CatalogTemplate[] = [];
  #byId: ReadonlyMap<string, CatalogTemplate> = new Map();
  #newest: ReadonlyMap<string, CatalogTemplate> = new Map();
  #loads = 0;
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(reader: Queries) {
    this.#reader = reader;
  }

  /**
   * Loads follow one another, so that a slow one never replaces what a later one found. Whoever asks while one is running
   * wants what changed since it began: one more load serves all of them.
   */
  load(): Promise<void> {
    this.#waiting ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#waiting = undefined;
        this.#running = this.#read();
        return this.#running;
      });
    return this.#waiting;
  }

  async #read(): Promise<void> {
    const all = (await listCatalogTemplates(this.#reader)).map(fromRow);
    const newest = new Map<string, CatalogTemplate>();
    for (const template of all.filter(({ item }) => item.status === 'published')) {
      const known = newest.get(template.item.species);
      if (!known || compareVersions(template.item.version, known.item.version) > 0)
        newest.set(template.item.species, template);
    }
    this.#all = all;
    this.#byId = new Map(all.map((template) => [template.item.id, template]));
    this.#newest = newest;
    this.#loads++;
  }

  /** Grows with every load: what was prepared from an older one is out of date. */
  get version(): number {
    return this.#loads;
  }

  /** The newest published version of each species, by name. */
  newest(): TemplateItem[] {
    return [...this.#newest.values()].map(({ item }) => item).sort(byName);
  }

  /** Every published version, newest first within a species. */
  everyVersion(): TemplateItem[] {
    return this.#all
      .map(({ item }) => item)
      .filter((item) => item.status === 'published')
      .sort((a, b) => byName(a, b) || compareVersions(b.version, a.version));
  }

  upcoming(): TemplateItem[] {
    return this.#all.map(({ item }) => item).filter((item) => item.status !== 'published');
  }

  newestOf(species: string): CatalogTemplate | undefined {
    return this.#newest.get(species);
  }

  byId(id: string): CatalogTemplate | undefined {
    return this.#byId.get(id);
  }
}

/** The same on every replica, whatever language its machine speaks. */
export const byName = (a: TemplateItem, b: TemplateItem): number => a.name.localeCompare(b.name, 'en');

function fromRow(row: TemplateRow): CatalogTemplate {
  const spec = canonical(JSON.parse(row.spec) as Canonical);
  const variants = (spec.image?.variants ?? []).map((v) => ({ id: v.id, tag: v.tag, default: v.default }));
  return { spec, variants, item: itemOf(row, spec) };
}

const itemOf = (row: TemplateRow, spec: Canonical): TemplateItem => ({
  id: row.id,
  species: row.species,
  slug: row.species,
  name: row.name,
  description: row.description,
  archetype: row.archetype as TemplateItem['archetype'],
  family: row.family,
  version: row.version,
  app_version: row.app_version || null,
  taxonomy: {
    kingdom: row.kingdom,
    family: row.family,
    species: row.species,
    variant: spec.image?.variants.find((v) => v.default)?.id ?? null,
    specimen: null,
    tags: spec.taxonomy.tags,
  },
  spec_hash: row.spec_hash,
  status: row.status,
  deprecated: row.deprecated === 1,
  featured: row.featured === 1,
  author: row.author,
  created_at: iso(row.created_at),
});
