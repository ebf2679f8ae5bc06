import { standardBackup } from '@hortus/contract/resources/backup-settings';
import type { BindingWish, DefinitionCreate, DefinitionUpdate } from '@hortus/contract/resources/definitions';
import type { GardenDefinition } from '@hortus/garden/format';
import { type FieldValue, nameOf, type PresentItem } from '@hortus/garden/items';
import { boundInstances } from '@hortus/garden/order';
import type { FieldChange } from '@hortus/garden/plan';
import { referenceIn, resolved } from '@hortus/garden/references';
import type { Problem } from '@hortus/garden/secret-places';
import { appHosts, missingHosts } from '@hortus/template/inputs/app-hosts';
import { type Inputs, isSecretInput, splitSecretInputs } from '@hortus/template/inputs/inputs';
import { pausing } from '../../process/pausing.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { findConnectionByName } from '../connections/public.ts';
import { appsDomainOf } from '../servers/public.ts';
import { type Catalog, type CatalogTemplate, checkInput, checkProfile, checkVariant } from '../templates/public.ts';
import type { ReadFiles } from './files.ts';
import type { Compared, WantedRecord } from './item.ts';
import { type Place, type Places, Placing } from './placing.ts';
import type { PresentDefinition } from './present-definitions.ts';
import { templateKey } from './private-templates.ts';

export interface DefinitionsDeps {
  readonly reader: Queries;
  readonly catalog: Catalog;
  readonly work: Work;
}

/** The order of a definition of a garden. A private template is found by its key once it is published. */
export interface DefinitionOrder<Body> {
  readonly body: Body;
  readonly templateKey?: string;
}

export interface DefinitionInputs {
  readonly accountId: string;
  readonly files: ReadFiles;
  readonly present: ReadonlyMap<string, PresentDefinition>;
  readonly places: Places;
  readonly templates: ReadonlyMap<string, CatalogTemplate>;
}

export interface ComparedDefinitions extends Compared {
  readonly isSecretInput: (uid: string, name: string) => boolean;
}

/** Compares the definitions of the file with those of the account; inputs are validated as the API does. */
export async function compareDefinitions(deps: DefinitionsDeps, input: DefinitionInputs): Promise<ComparedDefinitions> {
  const { files, present } = input;
  const problems: Problem[] = [];
  const wanted: WantedRecord[] = [];
  const placing = new Placing(input.places, present);
  const templates = new Map<string, CatalogTemplate>();
  const pause = pausing();
  for (const [uid, definition] of Object.entries(files.garden.definitions ?? {})) {
    await pause();
    const report = (field: string, message: string) =>
      problems.push({ field: `definitions.${uid}${field && `.${field}`}`, message });
    const template = templateOf(deps.catalog, input, uid, definition);
    if (!template) report('species', `there is no published species ${definition.species}`);
    else templates.set(uid, template);
    const place = placing.of(uid, definition, report);
    if (!template || !place) continue;
    wanted.push(await wantedDefinition(deps, input, { uid, definition, template, place, report }));
  }
  const items: PresentItem[] = [];
  for (const definition of present.values()) {
    items.push(definitionItem(deps.catalog, input.places, definition));
    await pause();
  }
  const secretInput = (uid: string, name: string) => {
    const template = templates.get(uid);
    return template !== undefined && isSecretInput(template.spec, name);
  };
  return { wanted, present: items, problems, isSecretInput: secretInput };
}

function templateOf(
  catalog: Catalog,
  { accountId, present, templates }: DefinitionInputs,
  uid: string,
  { species, template }: GardenDefinition,
): CatalogTemplate | undefined {
  if (template !== undefined) return templates.get(template);
  const existing = present.get(uid);
  const held = existing && catalog.known(existing.row.template_id);
  // An existing definition changes its version only by an upgrade, not because a newer one was published.
  return held?.item.species === species ? held : catalog.newestOf(species ?? '', accountId);
}

interface Described {
  readonly uid: string;
  readonly definition: GardenDefinition;
  readonly template: CatalogTemplate;
  readonly place: Place;
  readonly report: (field: string, message: string) => void;
}

async function wantedDefinition(
  deps: DefinitionsDeps,
  { accountId, files, present }: DefinitionInputs,
  { uid, definition, template, place, report }: Described,
): Promise<WantedRecord> {
  const existing = present.get(uid);
  const { inputs = {}, needs = [], backup = {}, bindings = {} } = definition;
  const input = resolved(inputs, files.values);
  const hosts = existing ? {} : await chosenHosts(deps, accountId, { uid, template, place }, input);
  const { plain, secret } = await checkedInputs(deps, template, existing, { ...hosts, ...input }, (name, message) => {
    const unresolved = referenceIn(inputs[name]) !== undefined && !Object.hasOwn(input, name);
    if (!unresolved) report(`inputs.${name}`, message);
  });
  attempt(
    () => checkProfile(template, definition.profile ?? 'development'),
    (message) => report('profile', message),
  );
  attempt(
    () => checkVariant(template, definition.variant ?? null),
    (message) => report('variant', message),
  );
  const wishes = await bindingWishes(deps, accountId, template, bindings, (need, message) =>
    report(`bindings.${need}`, message),
  );
  const own = {
    name: definition.name ?? uid,
    profile: definition.profile ?? 'development',
    watch_seconds: definition.watch_seconds ?? 60,
    heal: definition.heal ?? false,
  };
  const inGarden = boundInstances(bindings).filter((instance) =>
    Object.hasOwn(files.garden.definitions ?? {}, instance),
  );
  const settings = { ...standardBackup, ...backup };
  const key = definition.template === undefined ? undefined : templateKey(template.item);
  const required = template.spec.inputs.required.map(({ name }) => `inputs.${name}`);
  return {
    item: {
      kind: 'definition',
      key: uid,
      fields: {
        ...own,
        species: template.item.species,
        server: place.server,
        tenant: place.tenant,
        variant: definition.variant ?? null,
        ...prefixed('backup', settings),
        ...prefixed('inputs', plain),
        ...prefixed('bindings', bindings),
        version: template.item.version,
      },
      secrets: Object.fromEntries(Object.entries(secret).map(([name, value]) => [`inputs.${name}`, value])),
      needs: [
        ...[...new Set([...needs, ...inGarden])].map((need) => nameOf({ kind: 'definition', key: need })),
        ...(key === undefined ? [] : [nameOf({ kind: 'template', key })]),
      ],
      hidden: Object.keys(inputs).flatMap((name) => (referenceIn(inputs[name]) ? [`inputs.${name}`] : [])),
      // Without a private template, the version is that of the last upgrade.
      keeps: [...required, 'version'],
    },
    create: {
      body: {
        // Not by its species: a newer version may be published before the run gets there.
        ...(key === undefined && { template_id: template.item.id }),
        instance_uid: uid,
        server_id: place.serverId,
        ...own,
        inputs: { ...plain, ...secret },
        backup: settings,
        ...(Object.keys(wishes).length > 0 && { bindings: wishes }),
        ...(definition.variant !== undefined && { variant: definition.variant }),
        ...(place.tenantId !== null && { tenant_id: place.tenantId }),
      } satisfies DefinitionCreate,
      ...(key !== undefined && { templateKey: key }),
    } satisfies DefinitionOrder<DefinitionCreate>,
    update: (changes) => ({
      body: {
        ...own,
        variant: definition.variant ?? null,
        backup: settings,
        inputs: changedInputs(changes, { ...plain, ...secret }),
        bindings: changedBindings(changes, wishes),
      } satisfies DefinitionUpdate,
      ...(changes.some(({ field }) => field === 'version') && { templateKey: key }),
    }),
  };
}

/** Reads bindings as the API takes them; an instance may be one that this run creates. */
async function bindingWishes(
  { reader }: DefinitionsDeps,
  accountId: string,
  { spec }: CatalogTemplate,
  bindings: Readonly<Record<string, string>>,
  report: (need: string, message: string) => void,
): Promise<Record<string, BindingWish>> {
  const wishes: Record<string, BindingWish> = {};
  for (const [need, target] of Object.entries(bindings)) {
    const name = target.slice(target.indexOf(':') + 1);
    if (!spec.needs.some(({ as }) => as === need)) report(need, `${spec.slug} has no such need`);
    else if (target.startsWith('instance:')) wishes[need] = { instance: name };
    else {
      const connection = await findConnectionByName(reader, accountId, name);
      if (connection) wishes[need] = { connection: connection.id };
      else report(need, `there is no connection ${name}`);
    }
  }
  return wishes;
}

/** Returns the bindings that differ; null unbinds one. */
function changedBindings(
  changes: readonly FieldChange[],
  wishes: Readonly<Record<string, BindingWish>>,
): NonNullable<DefinitionUpdate['bindings']> {
  const prefix = 'bindings.';
  const names = changes.flatMap(({ field }) => (field.startsWith(prefix) ? field.slice(prefix.length) : []));
  return Object.fromEntries(names.map((name) => [name, wishes[name] ?? null]));
}

/** Chooses the hosts that a new definition leaves out, as its creation by the API does. */
async function chosenHosts(
  { reader }: DefinitionsDeps,
  accountId: string,
  { uid, template, place }: Pick<Described, 'uid' | 'template' | 'place'>,
  input: Inputs,
): Promise<Inputs> {
  const missing = missingHosts(template.spec, input);
  const domain = missing.length === 0 ? undefined : await appsDomainOf(reader, accountId, place.serverId);
  return domain === undefined ? {} : appHosts(missing, uid, domain);
}

/** Validates the inputs against the template; what the file leaves out of an existing definition is removed. */
async function checkedInputs(
  { reader, work }: DefinitionsDeps,
  template: CatalogTemplate,
  existing: PresentDefinition | undefined,
  input: Inputs,
  report: (name: string, message: string) => void,
): Promise<{ plain: Inputs; secret: Record<string, string> }> {
  const required = new Set(template.spec.inputs.required.map(({ name }) => name));
  const left = Object.keys(existing?.inputs ?? {}).filter((name) => !Object.hasOwn(input, name) && !required.has(name));
  const changes = { ...input, ...Object.fromEntries(left.map((name) => [name, null])) };
  const unchanged = (name: string) => existing?.secrets[name] !== undefined && existing.secrets[name] === input[name];
  const held = Object.keys(existing?.secrets ?? {});
  // A stored secret that stays the same is not given again: an immutable one would be refused.
  const asked = Object.fromEntries(Object.entries(changes).filter(([name]) => !unchanged(name)));
  const mode = existing ? ({ mode: 'merge', previous: existing.inputs, held } as const) : ({ mode: 'create' } as const);
  const check = await checkInput(reader, work, template, asked, mode, 'garden');
  if (!check.ok) {
    for (const { field, message } of check.problems) report(field.replace(/^inputs\./, ''), message);
    return splitSecretInputs(template.spec, input);
  }
  const { plain, secret } = splitSecretInputs(template.spec, check.values);
  const same = Object.fromEntries(Object.entries(input).filter(([name]) => unchanged(name)));
  return { plain, secret: { ...secret, ...(same as Record<string, string>) } };
}

/** Returns the values that differ, as the API takes them: null removes one. */
function changedInputs(changes: readonly FieldChange[], values: Inputs): NonNullable<DefinitionUpdate['inputs']> {
  const names = changes.flatMap(({ field }) => (field.startsWith('inputs.') ? [field.slice('inputs.'.length)] : []));
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

/** Describes a definition that exists. */
export function definitionItem(
  catalog: Pick<Catalog, 'known'>,
  places: Places,
  { row, inputs, secrets, backup, bindings, settled }: PresentDefinition,
): PresentItem {
  const { item } = catalog.known(row.template_id);
  const server = places.servers.find(({ id }) => id === row.server_id)?.name ?? row.server_id;
  return {
    kind: 'definition',
    key: row.instance_uid,
    id: row.id,
    settled,
    fields: {
      name: row.name,
      species: item.species,
      version: item.version,
      server,
      tenant: places.tenants.find(({ id }) => id === row.tenant_id)?.slug ?? null,
      profile: row.profile,
      variant: row.variant,
      heal: row.heal === 1,
      watch_seconds: row.watch_seconds,
      ...prefixed('backup', backup),
      ...prefixed('inputs', inputs),
      ...prefixed('bindings', bindings),
    },
    secrets: Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`inputs.${name}`, value])),
    fixed: {
      species: `it is a ${item.species}; archive it first, or choose another uid`,
      server: `it runs on ${server}; move it with: hortus definitions migrate ${row.instance_uid}`,
      tenant: 'the tenant of a definition cannot be changed',
    },
  };
}

const prefixed = (prefix: string, values: Readonly<Record<string, FieldValue>>): Record<string, FieldValue> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));

/** Reports the message of a refusal without the field that it starts with. */
function attempt(check: () => unknown, report: (message: string) => void): void {
  try {
    check();
  } catch (error) {
    report((error as Error).message.replace(/^[a-z_]+: /, ''));
  }
}
