import type { Permission } from '@hortus/contract/permissions';
import {
  type GardenChange,
  type GardenCounts,
  type GardenFieldChange,
  type GardenPlan,
  gardenActions,
} from '@hortus/contract/resources/garden-records';
import type { GardenFiles } from '@hortus/contract/resources/gardens';
import { digestOf, type Pause } from '@hortus/garden/digest';
import type { Garden } from '@hortus/garden/format';
import { nameOf, type PresentItem } from '@hortus/garden/items';
import { type Change, hashOf, planGarden, toDo } from '@hortus/garden/plan';
import { literalSecrets, type Problem } from '@hortus/garden/secret-places';
import type { ReferencePlace } from '@hortus/garden/unresolved-references';
import { may, type Principal, requirePermission } from '../../identity/principal.ts';
import { pausing } from '../../process/pausing.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import type { Catalog } from '../templates/public.ts';
import { compareDefinitions } from './definitions.ts';
import { type ReadFiles, readFiles } from './files.ts';
import { type Claims, type Compared, concealed, withoutComparison } from './item.ts';
import type { Places } from './placing.ts';
import { presentDefinitions } from './present-definitions.ts';
import { compareTemplates } from './private-templates.ts';
import { compareSettings, missingSecrets, type PresentSettings } from './settings.ts';
import { checkSettings } from './settings-check.ts';
import { gardenByName, itemsOfAccount } from './store.ts';

export interface GardenPlanningDeps {
  readonly reader: Queries;
  readonly vault: Pick<Vault, 'decrypt' | 'hmac'>;
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
const permissionsFor: Readonly<Record<PresentItem['kind'], readonly Permission[]>> = {
  template: ['templates:write'],
  registry: ['registries:write'],
  channel: ['notifications:write'],
  rule: ['notifications:write'],
  webhook: ['webhooks:write'],
  definition: ['definitions:write', 'deployments:execute'],
};

/** Permissions for a change: those of a direct request. */
export const permissionsOf = ({ kind, action, fields }: Change): readonly Permission[] => {
  const isUpgrade = kind === 'definition' && action === 'update' && fields.some(({ field }) => field === 'version');
  const binds = kind === 'definition' && fields.some(({ field }) => field.startsWith('bindings.'));
  return [
    ...permissionsFor[kind],
    ...(isUpgrade ? (['upgrades:write'] as const) : []),
    ...(binds ? permissionsToBind : []),
  ];
};

/** Permissions for binding needs. A run has them for its definitions, because applying the garden required them. */
export const permissionsToBind: readonly Permission[] = ['connections:read', 'instances:read'];

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

  /** `kept` are the fields of the file whose values must be stored already. */
  async plan(principal: Principal, body: GardenFiles, kept: readonly ReferencePlace[] = []): Promise<Planned> {
    const { reader, work } = this.#deps;
    const { accountId } = principal;
    const files = await readFiles(work, accountId, body);
    const { name } = files.garden;
    // Before anything is looked up: also a problem tells what exists.
    for (const kind of kindsIn(files.garden)) requireSight(principal, kind);
    const bindings = Object.values(files.garden.definitions ?? {}).flatMap((definition) =>
      Object.values(definition.bindings ?? {}),
    );
    if (bindings.length > 0) for (const permission of permissionsToBind) requirePermission(principal, permission);
    const pause = pausing();
    const garden = await gardenByName(reader, accountId, name);
    const items = await itemsOfAccount(reader, accountId);
    const others = new Map(
      items
        .filter((item) => item.garden !== name)
        .map(({ kind, resource_id, garden }) => [`${kind} ${resource_id}`, garden]),
    );
    const own = items.filter((item) => item.garden === name);
    const keys = new Map(own.map(({ kind, resource_id, key }) => [`${kind} ${resource_id}`, key]));
    const claims: Claims = {
      otherGarden: (kind, id) => others.get(`${kind} ${id}`),
      keyOf: (kind, id) => keys.get(`${kind} ${id}`),
    };
    const { wanted, present, problems } = await this.#compare(principal, files, claims);
    const made = new Set(
      own.filter((item) => item.made === 1).map(({ kind, resource_id }) => `${kind} ${resource_id}`),
    );
    const owned = new Set(present.filter(({ kind, id }) => made.has(`${kind} ${id}`)).map(nameOf));
    const planned = await planGarden(
      wanted.map(({ item }) => item),
      present,
      owned,
      { prune: files.prune, pause },
    );
    for (const { kind } of planned.changes) requireSight(principal, kind);
    const changes = toDo(planned);
    const records = new Map(wanted.map((wanted) => [nameOf(wanted.item), wanted]));
    const orders = changes.map((change) => {
      const record = records.get(nameOf(change));
      if (change.action === 'create') return record?.create ?? null;
      return change.action === 'update' ? (record?.update(change.fields) ?? null) : null;
    });
    return {
      plan: {
        name,
        garden_id: garden?.id ?? null,
        plan_hash: await hashOf(name, planned, await this.#sealed(accountId, orders, pause), pause),
        counts: countsOf(planned.changes),
        changes: changes.map(({ fields, needs, ...change }) => ({
          ...change,
          fields: fields.map(copied),
          needs: [...needs],
        })),
        problems: [
          ...withMissing([...problems, ...planned.problems], missingValues(kept, present)),
          ...missingSecrets(planned.changes, wanted, present),
          ...claimed(planned.changes, claims),
        ].slice(0, MAX_PROBLEMS),
        unresolved: [...files.unresolved],
      },
      changes,
      orders,
    };
  }

  /** Stands for requests in the hash of a plan: they have values that the plan does not show. */
  async #sealed(accountId: string, orders: Planned['orders'], pause: Pause): Promise<string> {
    const { reader, vault } = this.#deps;
    return vault.hmac(reader, accountId, `garden plan ${await digestOf(orders, pause)}`);
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
        places: { ...(await places(reader, accountId)), mayName: may(principal, 'servers:read') },
      },
    );
    const others = compareSettings(files.garden, files.values, await settings(principal), claims);
    const wanted = [...templates.wanted, ...others.wanted, ...definitions.wanted];
    const present = [...templates.present, ...others.present, ...definitions.present];
    const closed = present.filter(({ kind }) => !mayChange(principal, kind));
    const hidden = new Map(withoutComparison(wanted, closed).map((item) => [nameOf(item), item]));
    return {
      wanted,
      present: present.map((item) => hidden.get(nameOf(item)) ?? item),
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

const sections = {
  templates: 'template',
  registries: 'registry',
  channels: 'channel',
  rules: 'rule',
  webhooks: 'webhook',
  definitions: 'definition',
} as const satisfies Partial<Record<keyof Garden, PresentItem['kind']>>;

/** Lists the kinds of items that a file has. */
const kindsIn = (garden: Garden): PresentItem['kind'][] =>
  (Object.keys(sections) as (keyof typeof sections)[])
    .filter((section) => Object.keys(garden[section] ?? {}).length > 0)
    .map((section) => sections[section]);

const maySee = (principal: Principal, kind: PresentItem['kind']): boolean =>
  [...permissionsToRead[kind], ...permissionsFor[kind]].some((permission) => may(principal, permission));

export const mayChange = (principal: Principal, kind: PresentItem['kind']): boolean =>
  permissionsFor[kind].every((permission) => may(principal, permission));

/** A plan shows the values of what exists, so the caller must be able to read it; those who may change it can. */
export function requireSight(principal: Principal, kind: PresentItem['kind']): void {
  if (!maySee(principal, kind))
    for (const permission of permissionsToRead[kind]) requirePermission(principal, permission);
}

/** Leaves the values out of a change that the caller could not read directly. */
export function seenBy<Seen extends GardenChange>(principal: Principal, change: Seen): Seen {
  const { kind, fields } = change;
  const hidden = mayChange(principal, kind) ? [] : concealed[kind];
  const fieldsSeen = fields.map(({ before, after, ...rest }): GardenFieldChange => {
    if (!maySee(principal, kind) || hidden?.includes(rest.field)) return { ...rest, secret: true };
    return { ...rest, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  });
  return { ...change, fields: fieldsSeen };
}

/** Reports the references of a repository that have no stored value: the service has no variables and files of its own. */
function missingValues(kept: readonly ReferencePlace[], present: readonly PresentItem[]): Problem[] {
  const stored = new Map(present.map((item) => [nameOf(item), item.secrets]));
  return kept
    .filter((place) => !Object.hasOwn(stored.get(nameOf(place)) ?? {}, place.field))
    .map(({ path }) => ({
      field: path,
      message:
        'has no value: references are not resolved for a repository. Apply the garden once with `hortus apply`, which stores the value, or set it in the console',
    }));
}

/** A missing value says more than the refusal that follows from it. */
const withMissing = (problems: readonly Problem[], missing: readonly Problem[]): Problem[] => [
  ...missing,
  ...problems.filter(({ field }) => !missing.some((problem) => problem.field === field)),
];

const MAX_PROBLEMS = 100;

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
