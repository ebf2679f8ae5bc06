import { setImmediate } from 'node:timers/promises';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import { canonical } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import type { Logo } from '@hortus/template/logos/logo';
import { BASE_PATH } from '../../http/api-routes.ts';
import { Behind } from '../../problem.ts';
import { iso } from '../../records/time.ts';
import type { Queries } from '../../storage/storage.ts';
import { byName, type CatalogTemplate, OwnerTemplates } from './owner-templates.ts';
import { CATALOG, findTemplates, listStamps, type TemplateRow } from './store.ts';

/** Published when the catalog changes on any replica. */
export const CATALOG_TOPIC = 'catalog';

/**
 * Keeps the catalog in memory. It is small, changes rarely and nearly every request reads it, so each process holds all
 * of it and reloads it when notified of a change.
 */
export class Catalog {
  readonly #reader: Queries;
  readonly #logos: Logos;
  #known: ReadonlyMap<string, { stamp: string; template: CatalogTemplate }> = new Map();
  readonly #tried = new Map<string, CatalogTemplate>();
  #shelves: ReadonlyMap<string, OwnerTemplates> = new Map();
  #loads = 0;
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  /** `logos` are those of this release, by species: they lie beside the templates and belong to no version. */
  constructor(reader: Queries, logos: Logos = new Map()) {
    this.#reader = reader;
    this.#logos = logos;
  }

  /**
   * Loads run one after another, so that a slow one never replaces a later result. Calls during a load share one
   * further load, which sees all changes since.
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

  /** Reads only what changed: accounts write their own templates too. */
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
      const template = row ? templateFrom(row, this.#logos) : this.#known.get(id)?.template;
      // Parsing one of the largest takes several milliseconds; yield so that requests are answered meanwhile.
      if (row && row.spec.length > LARGE_SPEC) await setImmediate();
      if (template === undefined) continue;
      known.set(id, { stamp, template });
      const own = byOwner.get(template.owner);
      if (own) own.push(template);
      else byOwner.set(template.owner, [template]);
    }
    this.#known = known;
    // An unchanged shelf stays: its search index takes longer to build than the change of another owner.
    const shelfOf = (owner: string, templates: readonly CatalogTemplate[]) => {
      const shelf = this.#shelves.get(owner);
      return shelf?.holds(templates) ? shelf : new OwnerTemplates(templates);
    };
    this.#shelves = new Map([...byOwner].map(([owner, templates]) => [owner, shelfOf(owner, templates)]));
    this.#loads++;
  }

  /** Increases with every load, to invalidate what was derived from an older one. */
  get version(): number {
    return this.#loads;
  }

  /** Another object whenever the published catalog changes, and not when an account's templates do. */
  get published(): object | undefined {
    return this.#shelves.get(CATALOG);
  }

  /** Key of what an account sees; accounts with the same key see the same templates. */
  visibility(account: string): string {
    return this.#shelves.has(account) ? account : '';
  }

  /** Lists the newest published version of each species, by name. An account's own species hides the catalog's. */
  newest(account?: string): TemplateItem[] {
    return this.species(account).map(({ item }) => item);
  }

  /** Lists every published version, newest first within a species. */
  everyVersion(account?: string): TemplateItem[] {
    return this.#visible(account)
      .flatMap((shelf) => shelf.everyVersion())
      .sort(byName);
  }

  /** Finds published templates of any version by words, with their scores. */
  async search(question: string, account?: string): Promise<ReadonlyMap<TemplateItem, number>> {
    const found = await Promise.all(this.#visible(account).map((shelf) => shelf.search(question)));
    return new Map(found.flatMap((scores) => [...scores]));
  }

  upcoming(account?: string): TemplateItem[] {
    return this.#visible(account).flatMap((shelf) => shelf.upcoming());
  }

  /** Returns the logo of a species of the catalog. */
  logoOf(template: CatalogTemplate): string | undefined {
    return template.item.logo === null ? undefined : this.#logos.get(template.item.species)?.svg;
  }

  /** Lists the templates of an account in every state, newest first. */
  ownedBy(account: string): TemplateItem[] {
    return this.#shelves.get(account)?.everything() ?? [];
  }

  /** Lists the newest published version of each species with its spec, by name. */
  species(account?: string): CatalogTemplate[] {
    const newest = new Map(this.#visible(account).flatMap((shelf) => [...shelf.newest]));
    return [...newest.values()].sort((a, b) => byName(a.item, b.item));
  }

  newestOf(species: string, account?: string): CatalogTemplate | undefined {
    const own = account === undefined ? undefined : this.#shelves.get(account)?.newest.get(species);
    return own ?? this.#shelves.get(CATALOG)?.newest.get(species);
  }

  /** Lists the ids of all published versions of an owner's template. */
  versionsOf(species: string, owner: string): string[] {
    const all = this.#shelves.get(owner)?.everyVersion() ?? [];
    return all.filter((item) => item.species === species).map(({ id }) => id);
  }

  /** Finds a template of any owner, for definitions created from it. */
  byId(id: string): CatalogTemplate | undefined {
    return this.#known.get(id)?.template ?? this.#tried.get(id);
  }

  /** Awaits a change of templates and reloads, so that the client's next request to this process sees it. */
  async takenUp<Result>(change: Promise<Result>): Promise<Result> {
    const done = await change;
    await this.load();
    return done;
  }

  /** Makes an unpublished template known by its id during a dry run. */
  async trying<Result>(template: CatalogTemplate, attempt: () => Promise<Result>): Promise<Result> {
    const { id } = template.item;
    this.#tried.set(id, template);
    try {
      return await attempt();
    } finally {
      this.#tried.delete(id);
    }
  }

  /**
   * Finds a stored template id; if it is unknown here, another process has just published it, and the request is
   * retried after a reload.
   */
  known(id: string): CatalogTemplate {
    const template = this.byId(id);
    if (!template) throw new Behind(`Template ${id} is not in the catalog of this process yet.`, () => this.load());
    return template;
  }

  /** Finds a template of the catalog or of the account; without an account only of the catalog. */
  visibleById(id: string, account?: string): CatalogTemplate | undefined {
    const template = this.byId(id);
    return template?.owner === CATALOG || template?.owner === account ? template : undefined;
  }

  /** The catalog's shelf, then the account's own. */
  #visible(account: string | undefined): OwnerTemplates[] {
    return [CATALOG, account ?? CATALOG]
      .filter((owner, index, all) => all.indexOf(owner) === index)
      .flatMap((owner) => this.#shelves.get(owner) ?? []);
  }
}

export const isOfCatalog = ({ owner }: CatalogTemplate): boolean => owner === CATALOG;

/** In characters; templates of the catalog are far smaller. */
const LARGE_SPEC = 65_536;

/** Well below the parameter limits of both engines. */
const ROWS_AT_ONCE = 500;

/**
 * Builds the in-memory form of a row. A large spec is completed when it is first used, because that takes up to 20 ms, and a flood
 * of such templates would delay every request. The others are completed now: together they would delay their first reader.
 */
export function templateFrom(row: TemplateRow, logos?: Logos): CatalogTemplate {
  const stored = JSON.parse(row.spec) as Canonical;
  const variants = (stored.image?.variants ?? []).map((v) => ({ id: v.id, tag: v.tag, default: v.default }));
  let spec = row.spec.length > LARGE_SPEC ? undefined : canonical(stored);
  return {
    get spec() {
      spec ??= canonical(stored);
      return spec;
    },
    variants,
    item: itemOf(row, stored, logos),
    owner: row.owner,
  };
}

/** Builds the item of a row. Stored specs have their defaults filled in. */
export const templateItem = (row: TemplateRow): TemplateItem => itemOf(row, JSON.parse(row.spec) as Canonical);

type Logos = ReadonlyMap<string, Logo>;

/** Templates of accounts and authors have no logo: a project's name must not make a stranger's template look official. */
function logoItem({ owner, author, species }: TemplateRow, logos: Logos): TemplateItem['logo'] {
  const logo = owner === CATALOG && author === null ? logos.get(species) : undefined;
  if (logo === undefined) return null;
  const { license, source, author: by } = logo;
  return { url: `${BASE_PATH}/templates/${species}/logo.svg`, license, source, author: by };
}

const itemOf = (row: TemplateRow, spec: Canonical, logos: Logos = new Map()): TemplateItem => ({
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
  verified:
    row.verified_at === null || row.verified_digest === null
      ? null
      : { at: iso(row.verified_at), digest: row.verified_digest },
  author: row.author,
  created_at: iso(row.created_at),
  // The mark endpoint is public, so for an account's template the URL carries the family it is drawn from.
  mark_url: `${BASE_PATH}/templates/${row.species}/mark.svg${row.owner === CATALOG ? '' : `?family=${row.family}`}`,
  logo: logoItem(row, logos),
});
