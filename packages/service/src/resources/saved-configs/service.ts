import type { SavedConfig, SavedConfigCreate, SavedConfigUpdate } from '@hortus/contract/resources/saved-configs';
import {
  checkInputs,
  type Inputs,
  isSecretInput,
  secretInputs,
  splitSecretInputs,
} from '@hortus/template/inputs/inputs';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { invalid, notFound } from '../../problem.ts';
import { accepted } from '../../records/accepted-inputs.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { type Catalog, type CatalogTemplate, checkProfile, checkVariant } from '../templates/public.ts';
import { sealSecret } from './opening.ts';
import {
  type ConfigFilter,
  type ConfigRow,
  configList,
  deleteConfig,
  findConfig,
  insertConfig,
  lockConfig,
  removeSecret,
  secretsOf,
  updateConfig,
  writeSecret,
} from './store.ts';

export interface SavedConfigsDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly catalog: Pick<Catalog, 'newestOf'>;
  readonly vault: Pick<Vault, 'encrypt'>;
}

/** Validates inputs against the newest published version of the species, from which a definition will be created. */
export class SavedConfigs {
  readonly #deps: SavedConfigsDeps;
  constructor(deps: SavedConfigsDeps) {
    this.#deps = deps;
  }

  async list(filter: ConfigFilter, request: PageRequest): Promise<Page<SavedConfig>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, configList(reader, filter));
    return { ...page, data: await this.#records(reader, page.data) };
  }

  async read(principal: Principal, id: string): Promise<SavedConfig> {
    const { reader } = this.#deps;
    const row = await findConfig(reader, principal.accountId, id);
    if (!row) throw notFound('saved config');
    return this.#record(reader, row);
  }

  async create(tx: Tx, principal: Principal, body: SavedConfigCreate): Promise<SavedConfig> {
    const template = this.#template(body.species);
    const { values } = accepted(checkInputs(template.spec, body.inputs, { mode: 'partial', previous: {} }), body);
    const { plain, secret } = splitSecretInputs(template.spec, values);
    const row: ConfigRow = {
      id: newId('config'),
      account_id: principal.accountId,
      name: body.name,
      species: body.species,
      profile: body.profile === undefined ? null : checkProfile(template, body.profile),
      variant: checkVariant(template, body.variant ?? null),
      inputs: JSON.stringify(plain),
      created_by: actorOf(principal),
      created_at: tx.now,
      updated_at: tx.now,
    };
    await insertConfig(tx, row);
    await this.#keep(tx, row, secret);
    await audit(tx, principal, 'audit.saved_config_created', row);
    return this.#record(tx, row);
  }

  async update(tx: Tx, principal: Principal, id: string, body: SavedConfigUpdate): Promise<SavedConfig> {
    const before = await this.#lock(tx, principal, id);
    const template = this.#template(before.species);
    const previous: Inputs = JSON.parse(before.inputs);
    const held = (await secretsOf(tx, [id])).map(({ name }) => name);
    const check = checkInputs(template.spec, body.inputs ?? {}, { mode: 'partial', previous, held });
    const { values, removed } = accepted(check, body);
    const { plain, secret } = splitSecretInputs(template.spec, values);
    const profile = body.profile === undefined ? before.profile : body.profile;
    const changed = await updateConfig(tx, before, {
      name: body.name ?? before.name,
      profile: profile === null ? null : checkProfile(template, profile),
      variant: checkVariant(template, body.variant === undefined ? before.variant : body.variant),
      inputs: JSON.stringify(plain),
    });
    await this.#keep(tx, changed, secret);
    // A former password stays secret, even if the species no longer has that input.
    for (const name of removed.filter((text) => held.includes(text) || isSecretInput(template.spec, text)))
      await removeSecret(tx, id, name);
    await audit(tx, principal, 'audit.saved_config_updated', changed);
    return this.#record(tx, changed);
  }

  async remove(tx: Tx, principal: Principal, id: string): Promise<SavedConfig> {
    const row = await this.#lock(tx, principal, id);
    const record = await this.#record(tx, row);
    await deleteConfig(tx, id);
    await audit(tx, principal, 'audit.saved_config_deleted', row);
    return record;
  }

  #template(species: string): CatalogTemplate {
    const template = this.#deps.catalog.newestOf(species);
    if (!template) throw invalid('species', `there is no published species ${species}`, { reason: 'unknown' });
    return template;
  }

  async #keep(tx: Tx, { id, account_id }: ConfigRow, secret: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(secret)) {
      const ciphertext = await sealSecret(tx, this.#deps.vault, { accountId: account_id, id }, name, value);
      await writeSecret(tx, { config_id: id, name, ciphertext });
    }
  }

  async #lock(tx: Tx, principal: Principal, id: string): Promise<ConfigRow> {
    const row = await lockConfig(tx, principal.accountId, id);
    if (!row) throw notFound('saved config');
    return row;
  }

  async #record(queries: Queries, row: ConfigRow): Promise<SavedConfig> {
    return (await this.#records(queries, [row]))[0] as SavedConfig;
  }

  async #records(queries: Queries, rows: readonly ConfigRow[]): Promise<SavedConfig[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const held = Map.groupBy(await secretsOf(queries, ids), ({ config_id }) => config_id);
    return rows.map((row) => {
      const names = new Set(held.get(row.id)?.map(({ name }) => name));
      const spec = this.#deps.catalog.newestOf(row.species)?.spec;
      const asked = new Set([...(spec ? secretInputs(spec) : []), ...names]);
      return configRecord(
        row,
        [...asked].map((name) => ({ name, has_value: names.has(name) })),
      );
    });
  }
}

const configRecord = (row: ConfigRow, secret_inputs: SavedConfig['secret_inputs']): SavedConfig => ({
  id: row.id,
  name: row.name,
  species: row.species,
  profile: row.profile,
  variant: row.variant,
  inputs: JSON.parse(row.inputs),
  secret_inputs,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const audit = (tx: Tx, principal: Principal, type: `audit.${string}`, row: ConfigRow) =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'saved_config',
    resourceId: row.id,
    actor: actorOf(principal),
    data: { saved_config_id: row.id, name: row.name, species: row.species },
  });
