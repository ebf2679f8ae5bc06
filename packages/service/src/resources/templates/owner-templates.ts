import type { ImageVariant } from '@hortus/contract/resources/template-spec-shapes';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { compareVersions } from '@hortus/template/notation/version-order';
import { TemplateSearch } from './template-search.ts';

export interface CatalogTemplate {
  readonly item: TemplateItem;
  readonly spec: Canonical;
  readonly variants: ImageVariant[];
  /** The catalog, or the owning account. */
  readonly owner: string;
}

/** Uses a fixed locale, so that the order is the same on every replica. */
export const byName = (a: TemplateItem, b: TemplateItem): number => a.name.localeCompare(b.name, 'en');

/** The templates of one owner. */
export class OwnerTemplates {
  /** The newest published version of each species. */
  readonly newest: ReadonlyMap<string, CatalogTemplate>;
  readonly #all: readonly CatalogTemplate[];
  #search: Promise<TemplateSearch<TemplateItem>> | undefined;

  constructor(all: readonly CatalogTemplate[]) {
    const newest = new Map<string, CatalogTemplate>();
    for (const template of all.filter(({ item }) => item.status === 'published')) {
      const known = newest.get(template.item.species);
      if (!known || compareVersions(template.item.version, known.item.version) > 0)
        newest.set(template.item.species, template);
    }
    this.#all = all;
    this.newest = newest;
  }

  /** Whether it was built from these very templates. */
  holds(all: readonly CatalogTemplate[]): boolean {
    return all.length === this.#all.length && all.every((template, index) => template === this.#all[index]);
  }

  /** Newest first within a species. */
  everyVersion(): TemplateItem[] {
    return this.#all
      .map(({ item }) => item)
      .filter((item) => item.status === 'published')
      .sort((a, b) => byName(a, b) || compareVersions(b.version, a.version));
  }

  /** All templates in every state, newest first. */
  everything(): TemplateItem[] {
    return this.#all.map(({ item }) => item).sort((a, b) => b.created_at.localeCompare(a.created_at, 'en'));
  }

  upcoming(): TemplateItem[] {
    return this.#all.map(({ item }) => item).filter((item) => item.status !== 'published');
  }

  /** Maps each published template that matches, of every version, to its score. */
  async search(question: string): Promise<ReadonlyMap<TemplateItem, number>> {
    this.#search ??= TemplateSearch.build(this.everyVersion());
    return (await this.#search).search(question);
  }
}
