import { setImmediate } from 'node:timers/promises';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import { canonical } from '@hortus/template/canonical';
import type { Canonical } from '@hortus/template/canonical-form';
import { BASE_PATH } from '../../http/api-routes.ts';
import { Behind } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import { iso } from '../../time.ts';
import { byName, type CatalogTemplate, Shelf } from './shelf.ts';
import { CATALOG, findTemplates, listStamps, type TemplateRow } from './store.ts';

export type { CatalogTemplate } from './shelf.ts';

/** Told when the published catalog changed, on whichever replica. */
export const CATALOG_TOPIC = 'catalog';

/**
 * The catalog in memory. It is small, changes seldom and is read by nearly every request, so each process keeps it whole
 * and loads it again when somebody says that it changed.
 */
export class Catalog {
  readonly #reader: Queries;
  #known: ReadonlyMap<string, { stamp: string; template: CatalogTemplate }> = new Map();
  readonly #tried = new Map<string, CatalogTemplate>();
  #shelves: ReadonlyMap<string, Shelf> = new Map();
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

  /** Only what changed is read and worked out again: accounts write their own templates, too. */
  async #read(): Promise<void> {
    const stamps = (await listStamps(this.#reader)).map(({ id, ...rest }) => ({
      id,
      stamp: Object.values(rest).join(' '),
    }));
    const changed = stamps.filter(({ id, stamp }) => this.#known.get(id)?.stamp !== stamp).map(({ id }) => id);
    const rows = new Map<string, TemplateRow>();
    for (let from = 0; from < changed.length; from += ROWS_AT_ONCE) {
      const some = await findTemplates(this.#reader, changed.slice(from, from + ROWS_AT_ONCE));
      for (const row of some) rows.set(row.id, row);
    }
    const known = new Map<string, { stamp: string; template: CatalogTemplate }>();
    const byOwner = new Map<string, CatalogTemplate[]>([[CATALOG, []]]);
    for (const { id, stamp } of stamps) {
      const row = rows.get(id);
      const template = row ? templateFrom(row) : this.#known.get(id)?.template;
      // Each of the largest takes some 20 ms; requests are answered between them.
      if (row && row.spec.length > LARGE_SPEC) await setImmediate();
      if (template === undefined) continue;
      known.set(id, { stamp, template });
      const own = byOwner.get(template.owner);
      if (own) own.push(template);
      else byOwner.set(template.owner, [template]);
    }
    this.#known = known;
    this.#shelves = new Map([...byOwner].map(([owner, templates]) => [owner, new Shelf(templates)]));
    this.#loads++;
  }

  /** Grows with every load: what was prepared from an older one is out of date. */
  get version(): number {
    return this.#loads;
  }

  /** Accounts for which this is the same see the same templates. */
  visibility(account: string): string {
    return this.#shelves.has(account) ? account : '';
  }

  /** The newest published version of each species, by name. An account's own species stands before the catalog's. */
  newest(account?: string): TemplateItem[] {
    return this.species(account).map(({ item }) => item);
  }

  /** Every published version, newest first within a species. */
  everyVersion(account?: string): TemplateItem[] {
    return this.#visible(account)
      .flatMap((shelf) => shelf.everyVersion())
      .sort(byName);
  }

  /** The published templates, of every version, in which the words are found, with how well. */
  async search(question: string, account?: string): Promise<ReadonlyMap<TemplateItem, number>> {
    const found = await Promise.all(this.#visible(account).map((shelf) => shelf.search(question)));
    return new Map(found.flatMap((scores) => [...scores]));
  }

  upcoming(account?: string): TemplateItem[] {
    return this.#visible(account).flatMap((shelf) => shelf.upcoming());
  }

  /** The newest published version of each species, with its spec, by name. */
  species(account?: string): CatalogTemplate[] {
    const newest = new Map(this.#visible(account).flatMap((shelf) => [...shelf.newest]));
    return [...newest.values()].sort((a, b) => byName(a.item, b.item));
  }

  newestOf(species: string, account?: string): CatalogTemplate | undefined {
    const own = account === undefined ? undefined : this.#shelves.get(account)?.newest.get(species);
    return own ?? this.#shelves.get(CATALOG)?.newest.get(species);
  }

  /** The ids of every published version of an owner's template. */
  versionsOf(species: string, owner: string): string[] {
    const all = this.#shelves.get(owner)?.everyVersion() ?? [];
    return all.filter((item) => item.species === species).map(({ id }) => id);
  }

  /** Whoever it belongs to: for what was made from it. */
  byId(id: string): CatalogTemplate | undefined {
    return this.#known.get(id)?.template ?? this.#tried.get(id);
  }

  /** For whoever changes templates: answers after this process has taken the change up, so that who asks next sees it. */
  async takenUp<Answer>(change: Promise<Answer>): Promise<Answer> {
    const done = await change;
    await this.load();
    return done;
  }

  /** Has one that is not there yet known by its id, while it is tried what would become of it. */
  async trying<Result>(template: CatalogTemplate, attempt: () => Promise<Result>): Promise<Result> {
    const { id } = template.item;
    this.#tried.set(id, template);
    try {
      return await attempt();
    } finally {
      this.#tried.delete(id);
    }
  }

  /** The same for an id that somebody has stored: if it is not known here, another process has published it just now. */
  known(id: string): CatalogTemplate {
    const template = this.byId(id);
    if (!template) throw new Behind(`Template ${id} is named somewhere but not in the catalog.`, () => this.load());
    return template;
  }

  /** What an account may know of: the catalog's, and its own; without an account only the catalog's. */
  visibleById(id: string, account?: string): CatalogTemplate | undefined {
    const template = this.byId(id);
    return template?.owner === CATALOG || template?.owner === account ? template : undefined;
  }

  /** The catalog's shelf, then the account's own. */
  #visible(account: string | undefined): Shelf[] {
    return [CATALOG, account ?? CATALOG]
      .filter((owner, index, all) => all.indexOf(owner) === index)
      .flatMap((owner) => this.#shelves.get(owner) ?? []);
  }
}

export const isOfCatalog = ({ owner }: CatalogTemplate): boolean => owner === CATALOG;

/** Characters; templates of the catalog are far below. */
const LARGE_SPEC = 65_536;

/** As many as both engines take in one statement without a second thought. */
const ROWS_AT_ONCE = 500;

/** A row as everything here works with it. */
export function templateFrom(row: TemplateRow): CatalogTemplate {
  const spec = canonical(JSON.parse(row.spec) as Canonical);
  const variants = (spec.image?.variants ?? []).map((v) => ({ id: v.id, tag: v.tag, default: v.default }));
  return { spec, variants, item: itemOf(row, spec), owner: row.owner };
}

/** A row as lists and answers show it. What is stored has its defaults written out, so that it need not be completed. */
export const templateItem = (row: TemplateRow): TemplateItem => itemOf(row, JSON.parse(row.spec) as Canonical);

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
  // What belongs to an account nobody else can look up: its mark is asked for with all that it is drawn from.
  mark_url: `${BASE_PATH}/templates/${row.species}/mark.svg${row.owner === CATALOG ? '' : `?family=${row.family}`}`,
});
