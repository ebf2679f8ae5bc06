// Which part of the service owns which table, and the function that holds queries against it.
import type { Tables } from '@hortus/service/storage/tables';
import type { ResourceTable } from '@hortus/service/wiring/all-resources';

type Table = keyof Tables;

/**
 * Folders below packages/service/src that own tables besides the resources, which name theirs in `resource.ts`. A table
 * without an owner does not compile.
 */
const owners: Readonly<
  Record<Exclude<Table, ResourceTable>, readonly string[]> & Partial<Record<Table, readonly string[]>>
> = {
  // Small named values of several parts.
  settings: ['identity', 'outbox', 'vault'],
  schema_needs: ['storage'],
  // Identity authenticates callers; resources manage the records.
  accounts: ['identity'],
  users: ['identity'],
  sessions: ['identity'],
  api_keys: ['identity'],
  servers: ['identity'],
  server_members: ['identity'],
  // The link of the first start.
  password_resets: ['identity'],
  rate_windows: ['http/rate-windows'],
  idempotency: ['http/idempotency'],
  tombstones: ['http/tombstones'],
  data_keys: ['vault'],
  events: ['outbox'],
  jobs: ['jobs'],
  mail_windows: ['mail'],
  stored_output: ['quotas'],
};

/** What one statement of these folders reads together with its own rows. Never written. */
const joins: Readonly<Record<string, readonly Table[]>> = {
  // Counts the records of an account, under a lock on the account.
  quotas: ['accounts', 'servers', 'definitions', 'api_keys', 'webhook_endpoints', 'templates', 'connections'],
};

export interface TableRights {
  /** Folders by table. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
  /** Tables by folder. */
  readonly joins: ReadonlyMap<string, readonly string[]>;
}

const manifest = /^packages\/service\/src\/(resources\/[^/]+)\/resource\.ts$/;

/**
 * Reads who may name which table: the lists above, and those of every `resource.ts` among the files. They are read as
 * text, because importing the resources would start with loading the whole service.
 */
export function tableRights(files: readonly { readonly path: string; readonly text: string }[]): TableRights {
  const found = new Map<string, readonly string[]>(Object.entries(owners));
  const joined = new Map<string, readonly string[]>(Object.entries(joins));
  for (const { path, text } of files) {
    const folder = manifest.exec(path)?.[1];
    if (folder === undefined) continue;
    for (const table of listed(text, 'tables')) found.set(table, [...(found.get(table) ?? []), folder]);
    joined.set(folder, listed(text, 'joins'));
  }
  return { owners: found, joins: joined };
}

/** Returns the texts in the list of a property. */
const listed = (text: string, property: 'tables' | 'joins'): string[] => {
  if (!text.includes(`  ${property}: `)) return [];
  const list = new RegExp(`^  ${property}: \\[([^\\]]*)\\],$`, 'm').exec(text)?.[1];
  if (list === undefined) throw new Error(`${property} of a resource must be a list of texts.`);
  return [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
};

const service = 'packages/service/src/';
const naming =
  /\b(selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|crossJoin|insertInto|updateTable|deleteFrom)\s*\(\s*(['"])(\w+)/g;
const writing = ['insertInto', 'updateTable', 'deleteFrom'];

export interface ForeignTable {
  /** Where in the text it is named. */
  readonly index: number;
  readonly message: string;
}

/** Finds the tables that a file of the service names without owning them. */
export function findForeignTables(path: string, text: string, rights: TableRights): ForeignTable[] {
  if (!path.startsWith(service)) return [];
  const isIn = (folder: string) => path.startsWith(`${service}${folder}/`);
  const joined = [...rights.joins].find(([folder]) => isIn(folder))?.[1] ?? [];
  return [...text.matchAll(naming)].flatMap(({ index, 1: call = '', 3: table = '' }) => {
    const folders = rights.owners.get(table);
    if (!folders || folders.some(isIn) || (joined.includes(table) && !writing.includes(call))) return [];
    const verb = writing.includes(call) ? 'written' : 'read';
    return [{ index, message: `${table} is ${verb} by ${folders.join(' and ')}, not here; ask what it exports` }];
  });
}
