import { join } from 'node:path';
import type { Endpoint } from '@hortus/contract/endpoint';
import { type EndpointName, endpointRows } from '@hortus/contract/endpoints';
import { newId } from '@hortus/service/records/ids';
import { openPostgres } from '@hortus/service/storage/postgres/open';
import type { Queries } from '@hortus/service/storage/storage';
import { writeCatalog } from '@hortus/service/testing/catalog-folder';
import type { Engine, TestDatabase } from '@hortus/service/testing/engines';
import { goodRequest, type ReadyRequest } from '@hortus/service/testing/good-requests';
import { type Caller, startApp } from '@hortus/service/testing/running-service';

const ROWS = 20;

/** A read of the contract, ready to send. */
export interface ContractRead {
  readonly name: EndpointName;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of records of a list; undefined for a single record. */
  readonly rows: number | undefined;
}

export interface FilledDatabase {
  readonly key: string;
  readonly reads: readonly ContractRead[];
  /** Settings with which a service process opens the same data. */
  readonly env: Readonly<Record<string, string>>;
}

interface Copied {
  readonly table: string;
  readonly distinct: readonly string[];
}

/** Lists below one record, whose good requests create one record each: the table and its distinct columns. */
const copied: Partial<Record<EndpointName, Copied>> = {
  'instances.deployments': { table: 'deployments', distinct: ['id'] },
  'shells.list': { table: 'shells', distinct: ['id'] },
  'actions.history': { table: 'executions', distinct: ['id'] },
  'gardens.runs': { table: 'garden_runs', distinct: ['id'] },
  'gardens.commits': { table: 'garden_commits', distinct: ['id'] },
  'drafts.tests': { table: 'template_tests', distinct: ['id'] },
  'account.sessions': { table: 'sessions', distinct: ['id', 'hash'] },
};

/** Lists whose own good request creates no record: the good request that does. */
const filledBy: Partial<Record<EndpointName, EndpointName>> = {
  'connections.providers': 'definitions.read',
  'events.list': 'servers.read',
  'keys.list': 'keys.revoke',
  'members.list': 'members.resetPassword',
  'notifications.rules': 'notifications.readRule',
  'rehearsals.list': 'rehearsals.read',
  'upgrades.list': 'upgrades.read',
};

/**
 * Fills a database through the API so that every read of the contract succeeds and every list has 20 records where that is
 * possible. Hot reads are left out, because `templates-read` measures them; so are files and images. `only` is a part of the names.
 */
export async function fillForReads(folder: string, only = '', databaseUrl?: string): Promise<FilledDatabase> {
  const catalog = await writeCatalog(join(folder, 'catalog'));
  process.env.HORTUS_TEST_CATALOG = catalog;
  const steps: (() => unknown)[] = [];
  const engine = {
    name: databaseUrl ? 'postgres' : 'sqlite',
    afterwards: (step: () => unknown) => void steps.push(step),
  };
  const database = {
    engine: engine.name,
    directory: folder,
    databaseUrl,
    open: () => openPostgres({ url: databaseUrl as string, connections: 2 }),
  } as TestDatabase;
  try {
    const service = await startApp(engine as Engine, {}, database);
    const reads: ContractRead[] = [];
    for (const [name, row] of endpointRows) {
      if (!isOrdinary(name, row) || !name.includes(only)) continue;
      // An account of its own, so that a list has no more records than one page.
      const caller = row.permission === 'admin' ? service : await service.addAccount();
      const read = await prepared(caller, name, row);
      reads.push(read.rows === undefined ? read : await lengthened(caller, service.database, read));
    }
    return {
      key: service.key,
      reads,
      env: {
        HORTUS_CATALOG_DIR: catalog,
        HORTUS_AGENTS_DIR: join(folder, 'agents'),
        HORTUS_MASTER_KEY: Buffer.alloc(32, 'hortus').toString('base64'),
        ...(databaseUrl !== undefined && { HORTUS_DATABASE_URL: databaseUrl }),
      },
    };
  } finally {
    for (const step of steps.reverse()) await step();
  }
}

/** Need a connected daemon, or write with each request. */
const unusual: readonly EndpointName[] = ['logs.instance', 'shells.recording'];

const isOrdinary = (name: EndpointName, row: Endpoint): boolean =>
  !unusual.includes(name) &&
  row.method === 'GET' &&
  row.permission !== 'public' &&
  !row.hot &&
  !row.file &&
  row.media === undefined;

async function prepared(caller: Caller, name: EndpointName, row: Endpoint): Promise<ContractRead> {
  const request = await goodRequest(name, caller);
  const headers = { authorization: `Bearer ${caller.key}`, ...request.options.headers };
  if (request.options.key === null) delete (headers as { authorization?: string }).authorization;
  const rows = 'per_page' in row.query.properties ? await length(caller, request) : undefined;
  return { name, path: request.path, headers, rows };
}

async function length(caller: Caller, { path, options }: Pick<ReadyRequest, 'path' | 'options'>) {
  const { status, json } = await caller.request('GET', path, options);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(json)}`);
  return json.data.length as number;
}

/** Repeats the good request of a list, or copies its newest record, until the list has a full page. */
async function lengthened(caller: Caller, queries: Queries, read: ContractRead): Promise<ContractRead> {
  const { name, path, headers } = read;
  const options = { headers, key: null };
  const copy = copied[name];
  let rows = await length(caller, { path, options });
  while (rows < ROWS) {
    if (copy && rows > 0) {
      const { json } = await caller.request('GET', path, options);
      await copyRow(queries, copy, json.data[0].id);
    } else await goodRequest(filledBy[name] ?? name, caller);
    const now = await length(caller, { path, options });
    if (now === rows) break;
    rows = now;
  }
  return { ...read, rows };
}

async function copyRow(queries: Queries, { table, distinct }: Copied, id: string): Promise<void> {
  const place = (number: number) => (queries.engine === 'postgres' ? `$${number}` : '?');
  const { rows } = await queries.run(`select * from ${table} where id = ${place(1)}`, [id]);
  const row = { ...(rows[0] as Record<string, unknown>) };
  for (const name of distinct) row[name] = `${String(row[name]).slice(0, 4)}${newId('event').slice(4)}`;
  const columns = Object.keys(row);
  const text = `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, i) => place(i + 1)).join(', ')})`;
  await queries.run(text, Object.values(row));
}
