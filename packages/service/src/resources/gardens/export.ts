import { GARDEN_NAME } from '@hortus/garden/format';
import type { PresentItem } from '@hortus/garden/items';
import { writeGarden } from '@hortus/garden/writing';
import { may, type Principal } from '../../identity/principal.ts';
import { invalid } from '../../problem.ts';
import { type Work, workerJob } from '../../workers/job.ts';
import { definitionItem } from './definitions.ts';
import { concealed } from './item.ts';
import { type GardenPlanningDeps, mayChange, permissionsToRead } from './planning.ts';
import { presentDefinitions } from './present-definitions.ts';
import { compareSettings, type PresentSettings } from './settings.ts';
import { gardenByName, itemsOfAccount } from './store.ts';

export const WRITE_GARDEN = workerJob('garden.write', writeGarden);

/** Writes gardens from what exists. */
export class GardenExports {
  readonly #deps: GardenPlanningDeps & { readonly work: Work };
  constructor(deps: GardenPlanningDeps) {
    this.#deps = deps;
  }

  /** Writes what the caller may read: everything, or only what an existing garden of that name describes. */
  async write(principal: Principal, name = 'garden'): Promise<{ name: string; source: string }> {
    const { reader, vault, catalog, work, places, settings } = this.#deps;
    const { accountId } = principal;
    if (!new RegExp(GARDEN_NAME).test(name)) throw invalid('name', 'must be lower-case letters, digits and hyphens.');
    const [there, present] = [
      await places(reader, accountId),
      await presentDefinitions(reader, vault, accountId, { open: false }),
    ];
    const items = [
      ...[...present.values()].map((definition) => definitionItem(catalog, there, definition)),
      ...settingItems(await settings(principal)),
    ].filter(({ kind }) => mayExport(principal, kind));
    const garden = await gardenByName(reader, accountId, name);
    const own = garden && (await itemsOfAccount(reader, accountId)).filter(({ garden_id }) => garden_id === garden.id);
    const described = own && new Map(own.map(({ kind, resource_id, key }) => [`${kind} ${resource_id}`, key]));
    const chosen = items.flatMap((item): PresentItem[] => {
      const key = described ? described.get(`${item.kind} ${item.id}`) : item.key;
      return key === undefined ? [] : [{ ...item, key, secrets: onlyNames(item.secrets) }];
    });
    const source = await work.run(WRITE_GARDEN, { account: accountId, field: 'name' }, name, chosen);
    return { name, source };
  }
}

/** Without concealed fields the file would remove them when it is applied. */
const mayExport = (principal: Principal, kind: PresentItem['kind']): boolean =>
  concealed[kind] === undefined
    ? permissionsToRead[kind].every((permission) => may(principal, permission))
    : mayChange(principal, kind);

/** The worker needs the names of secrets only. */
const onlyNames = (secrets: PresentItem['secrets']) =>
  Object.fromEntries(Object.keys(secrets).map((name) => [name, '']));

/** Names webhooks by their host, because they have no names of their own; leaves out the rules that every account has. */
function settingItems(there: PresentSettings): readonly PresentItem[] {
  // Without a prototype: a host may be called __proto__.
  const webhooks: Record<string, { url: string; events: never[] }> = Object.create(null);
  for (const { row } of there.webhooks) {
    const { host } = new URL(row.url);
    const taken = Object.keys(webhooks).filter((key) => key === host || key.startsWith(`${host}-`)).length;
    webhooks[taken === 0 ? host : `${host}-${taken + 1}`] = { url: row.url, events: [] };
  }
  const rules = there.rules.filter(({ preset }) => !preset);
  const claims = { otherGarden: () => undefined, keyOf: () => undefined };
  return compareSettings({ name: 'export', webhooks }, {}, { ...there, rules }, claims).present;
}
