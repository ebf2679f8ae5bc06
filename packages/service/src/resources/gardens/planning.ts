import type { Permission } from '@hortus/contract/permissions';
import { type GardenCounts, type GardenPlan, gardenActions } from '@hortus/contract/resources/garden-records';
import type { GardenFiles } from '@hortus/contract/resources/gardens';
import { nameOf, type PresentItem } from '@hortus/garden/items';
import { type Change, hashOf, planGarden, toDo } from '@hortus/garden/plan';
import { literalSecrets, type Problem } from '@hortus/garden/secret-places';
import { may, type Principal, requirePermission } from '../../identity/principal.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import type { Catalog } from '../templates/public.ts';
import { compareDefinitions } from './definitions.ts';
import { type ReadFiles, readFiles } from './files.ts';
import { type Claims, type Compared, withoutComparison } from './item.ts';
import type { Places } from './placing.ts';
import { presentDefinitions } from './present-definitions.ts';
import { compareTemplates } from './private-templates.ts';
import { compareSettings, type PresentSettings } from './settings.ts';
import { checkSettings } from './settings-check.ts';
import { gardenByName, itemsOfAccount } from './store.ts';

export interface GardenPlanningDeps {
  readonly reader: Queries;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly catalog: Catalog;
  readonly work: Work;
  readonly places: (queries: Queries, accountId: string) => Promise<Places>;
  /** Reads registries, channels, rules and webhooks of an account, with their secrets. */
  readonly settings: (principal: Principal) => Promise<PresentSettings>;
}

/** A plan with the requests that carry it out. */
export interface Planned {
  readonly plan: GardenPlan;
  /** Changes that something must be done for, in order. */
  readonly changes: readonly Change[];
  /** Requests by position of the change. */
  readonly orders: readonly (object | null)[];
}

/** The permission for changes of each kind; definitions are deployed too. */
export const permissionsFor: Readonly<Record<PresentItem['kind'], readonly Permission[]>> = {
  template: ['templates:write'],
  registry: ['registries:write'],
  channel: ['notifications:write'],
  rule: ['notifications:write'],
  webhook: ['webhooks:write'],
  definition: ['definitions:write', 'deployments:execute'],
};

/** The permission for reading each kind. */
export const permissionsToRead: Readonly<Record<PresentItem['kind'], readonly Permission[]>> = {
  template: ['templates:read'],
  registry: ['registries:read'],
  channel: ['notifications:read'],
  rule: ['notifications:read'],
  webhook: ['webhooks:read'],
  definition: ['definitions:read'],
};

/** Compares gardens with what exists. */
export class GardenPlanning {
  readonly #deps: GardenPlanningDeps;
  constructor(deps: GardenPlanningDeps) {
    this.#deps = deps;
  }

  async plan(principal: Principal, body: GardenFiles): Promise<Planned> {
    const { reader, work } = this.#deps;
    const { accountId } = principal;
    const files = await readFiles(work, accountId, body);
    const { name } = files.garden;
    const garden = await gardenByName(reader, accountId, name);
    const items = await itemsOfAccount(reader, accountId);
    const others = new Map(
      items
        .filter((one) => one.garden !== name)
        .map(({ kind, resource_id, garden }) => [`${kind} ${resource_id}`, garden]),
    );
    const own = items.filter((one) => one.garden === name);
    const keys = new Map(own.map(({ kind, resource_id, key }) => [`${kind} ${resource_id}`, key]));
    const claims: Claims = {
      otherGarden: (kind, id) => others.get(`${kind} ${id}`),
      keyOf: (kind, id) => keys.get(`${kind} ${id}`),
    };
    const { wanted, present, problems } = await this.#compare(principal, files, claims);
    const made = new Set(own.filter((one) => one.made === 1).map(({ kind, resource_id }) => `${kind} ${resource_id}`));
    const owned = new Set(present.filter(({ kind, id }) => made.has(`${kind} ${id}`)).map(nameOf));
    const planned = planGarden(
      wanted.map(({ item }) => item),
      present,
      owned,
      { prune: files.prune },
    );
    for (const { kind } of planned.changes) requireSight(principal, kind);
    const changes = toDo(planned);
    const records = new Map(wanted.map((one) => [nameOf(one.item), one]));
    return {
      plan: {
        name,
        garden_id: garden?.id ?? null,
        plan_hash: hashOf(name, planned),
        counts: countsOf(planned.changes),
        changes: changes.map(({ fields, needs, ...change }) => ({
          ...change,
          fields: fields.map(copied),
          needs: [...needs],
        })),
        problems: [...problems, ...planned.problems, ...claimed(planned.changes, claims)].slice(0, MOST_PROBLEMS),
        unresolved: [...files.unresolved],
      },
      changes,
      orders: changes.map((change) => {
        const record = records.get(nameOf(change));
        if (change.action === 'create') return record?.create ?? null;
        return change.action === 'update' ? (record?.update(change.fields) ?? null) : null;
      }),
    };
  }

  async #compare(principal: Principal, files: ReadFiles, claims: Claims): Promise<Compared> {
    const { reader, vault, catalog, work, places, settings } = this.#deps;
    const { accountId } = principal;
    await this.#loadTemplates(accountId, files);
    const templates = compareTemplates(catalog, accountId, files.templates);
    const mayOpen = may(principal, 'definitions:write');
    const definitions = await compareDefinitions(
      { reader, catalog, work },
      {
        ...{ accountId, files, templates: templates.byPath },
        present: await presentDefinitions(reader, vault, accountId, { open: mayOpen }),
        places: await places(reader, accountId),
      },
    );
    const others = compareSettings(files.garden, files.values, await settings(principal), claims);
    const wanted = [...templates.wanted, ...others.wanted, ...definitions.wanted];
    const present = [...templates.present, ...others.present, ...definitions.present];
    const closed = present.filter(({ kind }) => !permissionsFor[kind].every((one) => may(principal, one)));
    const hidden = new Map(withoutComparison(wanted, closed).map((one) => [nameOf(one), one]));
    return {
      wanted,
      present: present.map((one) => hidden.get(nameOf(one)) ?? one),
      problems: [
        ...checkSettings(others.wanted, others.present, { resolved: files.unresolved.length === 0 }),
        ...literalSecrets(files.garden, definitions.isSecretInput),
        ...templates.problems,
        ...definitions.problems,
      ],
    };
  }

  /** Another replica may have published a template a moment ago. */
  async #loadTemplates(accountId: string, { garden }: ReadFiles): Promise<void> {
    const { catalog } = this.#deps;
    const missing = Object.values(garden.definitions ?? {}).some(
      ({ species }) => species !== undefined && !catalog.newestOf(species, accountId),
    );
    if (missing) await catalog.load();
  }
}

/** A plan shows the values of what exists, so the caller must be able to read it; those who may change it can. */
function requireSight(principal: Principal, kind: PresentItem['kind']): void {
  const able = [...permissionsToRead[kind], ...permissionsFor[kind]].some((permission) => may(principal, permission));
  if (!able) for (const permission of permissionsToRead[kind]) requirePermission(principal, permission);
}

const MOST_PROBLEMS = 100;

function countsOf(changes: readonly Change[]): GardenCounts {
  const counts = Object.fromEntries(gardenActions.map((action) => [action, 0])) as GardenCounts;
  for (const { action } of changes) counts[action] += 1;
  return counts;
}

/** A record belongs to one garden: two files would change it back and forth. */
const claimed = (changes: readonly Change[], { otherGarden }: Claims): Problem[] =>
  changes.flatMap(({ kind, key, id }) => {
    const other = id === null ? undefined : otherGarden(kind, id);
    const message = `belongs to the garden ${other}; remove it from that file, or forget that garden`;
    return other === undefined ? [] : [{ field: `${kind}s.${key}`, message }];
  });

const copied = ({ before, after, ...change }: Change['fields'][number]) => ({
  ...change,
  ...(before !== undefined && { before: plain(before) }),
  ...(after !== undefined && { after: plain(after) }),
});

const plain = <Value>(value: Value | readonly string[]) =>
  (Array.isArray(value) ? [...value] : value) as Exclude<Value, readonly string[]> | string[];
