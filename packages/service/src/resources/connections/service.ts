import { isAddressAttribute, isSecretAttribute } from '@hortus/contract/resources/connection-classes';
import type { Connection, ConnectionCreate, ConnectionUpdate } from '@hortus/contract/resources/connections';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { requireSecretsAgain } from '../../outbound/secrets-again.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound } from '../../problem.ts';
import type { RequireRoom } from '../../quotas/quotas.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { checkAttributes } from './attributes.ts';
import { sealAttribute } from './opening.ts';
import {
  type AttributeRow,
  attributesOf,
  type ConnectionFilter,
  type ConnectionRow,
  connectionList,
  deleteConnection,
  findConnection,
  findConnectionByName,
  insertConnection,
  lockConnection,
  removeAttribute,
  renameConnection,
  writeAttribute,
} from './store.ts';

export interface ConnectionsDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly vault: Pick<Vault, 'encrypt'>;
  readonly requireRoom: RequireRoom;
  /** Returns the definitions that are bound to these connections, at most 100 of each. */
  readonly usedBy: (queries: Queries, ids: readonly string[]) => Promise<ReadonlyMap<string, Connection['used_by']>>;
}

/** Manages the connection details that an account has saved for its definitions. */
export class Connections {
  readonly #deps: ConnectionsDeps;
  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  async list(filter: ConnectionFilter, request: PageRequest): Promise<Page<Connection>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, connectionList(reader, filter));
    return { ...page, data: await this.#records(reader, page.data) };
  }

  async read(principal: Principal, id: string): Promise<Connection> {
    const { reader } = this.#deps;
    const row = await findConnection(reader, principal.accountId, id);
    if (!row) throw notFound('connection');
    return this.#record(reader, row);
  }

  async create(tx: Tx, principal: Principal, body: ConnectionCreate): Promise<Connection> {
    const values = new Map(Object.entries(body.attributes));
    checkAttributes(body.class, values);
    await this.#deps.requireRoom(tx, principal, 'connections');
    const row: ConnectionRow = {
      id: newId('connection'),
      account_id: principal.accountId,
      name: body.name,
      class: body.class,
      created_by: actorOf(principal),
      created_at: tx.now,
      updated_at: tx.now,
    };
    if (!(await insertConnection(tx, row))) throw taken(row.name);
    for (const [name, value] of values) await this.#keep(tx, row, name, value);
    await audit(tx, principal, 'audit.connection_created', row, [...values.keys()]);
    return this.#record(tx, row);
  }

  async update(tx: Tx, principal: Principal, id: string, body: ConnectionUpdate): Promise<Connection> {
    const before = await this.#lock(tx, principal, id);
    const changes = Object.entries(body.attributes ?? {});
    // A sealed value is present and was valid when it was set.
    const rows = await attributesOf(tx, [id]);
    const values = new Map(rows.map(({ name, value }) => [name, value ?? SEALED]));
    for (const [name, value] of changes) {
      if (value === null) values.delete(name);
      else values.set(name, value);
    }
    checkAttributes(before.class, values);
    // A sealed address counts as changed also if it is the same: otherwise its value could be guessed.
    const open = new Map(rows.map(({ name, value }) => [name, value]));
    const isChanged = ([name, value]: readonly [string, string | null]) =>
      open.has(name) ? open.get(name) === null || open.get(name) !== value : value !== null;
    requireSecretsAgain(
      {
        changed: changes.filter((item) => isAddressAttribute(item[0]) && isChanged(item)).map(([name]) => name),
        stored: rows.flatMap(({ name, ciphertext }) => (ciphertext === null ? [] : name)),
        input: changes.map(([name]) => name),
      },
      { fieldOf: (name) => `attributes.${name}` },
    );
    const name = body.name ?? before.name;
    const other = name === before.name ? undefined : await findConnectionByName(tx, principal.accountId, name);
    if (other) throw taken(name);
    await renameConnection(tx, id, name);
    for (const [attribute, value] of changes) {
      if (value === null) await removeAttribute(tx, id, attribute);
      else await this.#keep(tx, before, attribute, value);
    }
    const changed = { ...before, name, updated_at: tx.now };
    const names = changes.map(([attribute]) => attribute);
    await audit(tx, principal, 'audit.connection_updated', changed, names);
    return this.#record(tx, changed);
  }

  async remove(tx: Tx, principal: Principal, id: string): Promise<Connection> {
    const row = await this.#lock(tx, principal, id);
    const record = await this.#record(tx, row);
    if (record.used_by.length > 0) {
      const names = record.used_by.map(({ instance_uid }) => instance_uid);
      throw conflict('id', 'in_use', `${names.join(', ')} is bound to it; bind it to something else first.`, {
        used_by: record.used_by,
      });
    }
    await deleteConnection(tx, id);
    await audit(tx, principal, 'audit.connection_deleted', row, []);
    return record;
  }

  async #keep(tx: Tx, { id, account_id, class: className }: ConnectionRow, name: string, value: string): Promise<void> {
    const secret = isSecretAttribute(className, name);
    const ciphertext = secret
      ? await sealAttribute(tx, this.#deps.vault, { accountId: account_id, id }, name, value)
      : null;
    await writeAttribute(tx, {
      connection_id: id,
      name,
      value: secret ? null : value,
      ciphertext,
      updated_at: tx.now,
    });
  }

  async #lock(tx: Tx, principal: Principal, id: string): Promise<ConnectionRow> {
    const row = await lockConnection(tx, principal.accountId, id);
    if (!row) throw notFound('connection');
    return row;
  }

  async #record(queries: Queries, row: ConnectionRow): Promise<Connection> {
    return (await this.#records(queries, [row]))[0] as Connection;
  }

  async #records(queries: Queries, rows: readonly ConnectionRow[]): Promise<Connection[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const attributes = Map.groupBy(await attributesOf(queries, ids), ({ connection_id }) => connection_id);
    const usedBy = await this.#deps.usedBy(queries, ids);
    return rows.map((row) => connectionRecord(row, attributes.get(row.id) ?? [], usedBy.get(row.id) ?? []));
  }
}

/** Stands for a sealed value where only its presence counts. */
const SEALED = 'sealed';

const taken = (name: string) =>
  conflict('name', 'taken', `a connection with the name ${name} already exists; choose another name or change that.`);

const connectionRecord = (
  row: ConnectionRow,
  attributes: readonly AttributeRow[],
  used_by: Connection['used_by'],
): Connection => ({
  id: row.id,
  name: row.name,
  class: row.class,
  attributes: Object.fromEntries(attributes.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
  secret_attributes: attributes.flatMap(({ name, ciphertext }) => (ciphertext === null ? [] : name)),
  used_by,
  created_by: row.created_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Names of changed attributes only, never values. */
const audit = (
  tx: Tx,
  principal: Principal,
  type: `audit.connection_${string}`,
  row: ConnectionRow,
  attributes: readonly string[],
): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'connection',
    resourceId: row.id,
    actor: actorOf(principal),
    data: { connection_id: row.id, name: row.name, class: row.class, attributes },
  });
