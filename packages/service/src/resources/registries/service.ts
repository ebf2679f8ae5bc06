import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import type { Registry, RegistryCreate, RegistryUpdate } from '@hortus/contract/resources/registries';
import { registryName } from '@hortus/template/notation/image-reference';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import {
  deleteRegistry,
  findRegistry,
  heldRegistry,
  insertRegistry,
  type RegistryRow,
  registriesAt,
  registryList,
  updateRegistry,
} from './store.ts';

export interface RegistryDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly vault: Pick<Vault, 'encrypt' | 'decrypt'>;
}

/** Manages the logins of an account for image registries. */
export class Registries {
  readonly #deps: RegistryDeps;
  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, request: PageRequest): Promise<Page<Registry>> {
    const { reader, pages } = this.#deps;
    return await pages.read(request, registryList(reader, { accountId }), recordOf);
  }

  async read({ accountId }: Principal, id: string): Promise<Registry> {
    const row = await findRegistry(this.#deps.reader, accountId, id);
    if (!row) throw notFound('registry');
    return recordOf(row);
  }

  async create(tx: Tx, principal: Principal, wanted: RegistryCreate): Promise<Registry> {
    const id = newId('registry');
    const account_id = principal.accountId;
    const row: RegistryRow = {
      id,
      account_id,
      host: registryName(wanted.host),
      username: wanted.username,
      password: await this.#deps.vault.encrypt(tx, account_id, wanted.password, place(id)),
      created_by: actorOf(principal),
      created_at: tx.now,
      updated_at: tx.now,
    };
    if (!(await insertRegistry(tx, row)))
      throw conflict('host', 'taken', `a registry for ${row.host} already exists; change or delete it.`);
    await audit(tx, 'audit.registry_created', principal, row);
    return recordOf(row);
  }

  async update(tx: Tx, principal: Principal, id: string, wanted: RegistryUpdate): Promise<Registry> {
    const row = await held(tx, principal, id);
    const { username = row.username, password } = wanted;
    const sealed =
      password === undefined
        ? row.password
        : await this.#deps.vault.encrypt(tx, row.account_id, password, place(row.id));
    const changed = { ...row, username, password: sealed, updated_at: tx.now };
    await updateRegistry(tx, id, { username, password: sealed, updated_at: tx.now });
    await audit(tx, 'audit.registry_updated', principal, changed);
    return recordOf(changed);
  }

  async delete(tx: Tx, principal: Principal, id: string): Promise<Registry> {
    const row = await held(tx, principal, id);
    await deleteRegistry(tx, id);
    await audit(tx, 'audit.registry_deleted', principal, row);
    return recordOf(row);
  }

  /** Includes ids and passwords, to compare all registries of an account with a garden. */
  async allWithPasswords(queries: Queries, accountId: string): Promise<(RegistryLogin & { readonly id: string })[]> {
    const rows = await registryList(queries, { accountId }).rows(MAX_COMPARED, 0);
    return await Promise.all(rows.map((row) => this.#opened(queries, row)));
  }

  /** Includes passwords, for a daemon that is about to pull from these hosts. */
  async loginsFor(queries: Queries, accountId: string, hosts: readonly string[]): Promise<RegistryLogin[]> {
    if (hosts.length === 0) return [];
    const rows = await registriesAt(queries, accountId, hosts);
    return await Promise.all(
      rows.map(async (row) => {
        const { host, username, password } = await this.#opened(queries, row);
        return { host, username, password };
      }),
    );
  }

  async #opened(queries: Queries, { id, account_id, host, username, password }: RegistryRow) {
    return { id, host, username, password: await this.#deps.vault.decrypt(queries, account_id, password, place(id)) };
  }
}

const MAX_COMPARED = 10_000;

/** Binds the ciphertext to its registry: copied to another row it does not decrypt. */
const place = (id: string): string => `registry/${id}`;

async function held(tx: Tx, { accountId }: Principal, id: string): Promise<RegistryRow> {
  const row = await heldRegistry(tx, accountId, id);
  if (!row) throw notFound('registry');
  return row;
}

const recordOf = ({ id, host, username, created_by, created_at, updated_at }: RegistryRow): Registry => ({
  id,
  host,
  username,
  created_by,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});

const audit = (tx: Tx, type: `audit.registry_${string}`, principal: Principal, row: RegistryRow): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'registry',
    resourceId: row.id,
    actor: actorOf(principal),
    data: { registry_id: row.id, host: row.host, username: row.username },
  });
