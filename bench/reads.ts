import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@hortus/testkit/database';
import { freePort } from '@hortus/testkit/port';
import { startPostgres } from '@hortus/testkit/postgres';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import type { Bench, Figure } from './claim.ts';
import { type ContractRead, type FilledDatabase, fillForReads } from './contract-reads.ts';
import { backendsOf, processorTimeOf } from './processor-time.ts';
import { startService } from './service-process.ts';
import { load } from './wrk.ts';

/** An answer of the service, and the statements behind it. */
export interface BareRead {
  readonly headers: readonly string[];
  readonly body: string;
  readonly queries: readonly { readonly name: string; readonly text: string; readonly values: unknown[] }[];
}

const CONNECTIONS = 16;
/** Per row: V8 compiles a handler only after thousands of requests. */
const WARM_SECONDS = 0.5;
/** The service and its limit are measured in turn, because a virtual core is not equally fast all the time. */
const TURNS = 2;
const TURN_SECONDS = 0.2;
const PROMISED = { sqlite: { list: 0.3, record: 0.4 }, postgres: { list: 0.6, record: 0.6 } } as const;

/**
 * Measures every ordinary list and record of the contract against bare `node:http` that sends the same bytes; on PostgreSQL the
 * bare server also runs the same statements. Compares processor time per request, because the service and its limit each have one
 * core, and unlike the rate it does not depend on what else the machine does.
 */
export const reads: Bench = {
  name: 'reads',
  async run(_repetitions, only) {
    return [...worstFirst(await onSqlite(only)), ...worstFirst(await onPostgres(only))];
  },
};

const worstFirst = (figures: readonly Figure[]): Figure[] =>
  figures.toSorted((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0));

async function onSqlite(only?: string): Promise<Figure[]> {
  await using folder = temporaryFolder('bench');
  return await compared(folder.path, await fillForReads(folder.path, only), 'sqlite');
}

async function onPostgres(only?: string): Promise<Figure[]> {
  const server = await startPostgres();
  try {
    await using database = await createDatabase(server.url);
    await using folder = temporaryFolder('bench');
    return await compared(folder.path, await fillForReads(folder.path, only, database.url), 'postgres');
  } finally {
    await server.stop();
  }
}

async function compared(folder: string, filled: FilledDatabase, engine: keyof typeof PROMISED): Promise<Figure[]> {
  const bare = await startBare(folder, filled);
  const service = await startOn(folder, filled);
  try {
    const figures: Figure[] = [];
    // All paths of the bare server are one handler.
    for (const { path, headers } of filled.reads.slice(0, 4))
      await load({ url: `${bare.base}${path}`, connections: CONNECTIONS, seconds: WARM_SECONDS, headers, folder });
    for (const read of filled.reads) {
      const url = `${service.base}${read.path}`;
      await load({ url, connections: CONNECTIONS, seconds: WARM_SECONDS, headers: read.headers, folder });
      const [ours, limit] = [new Cost(), new Cost()];
      for (let turn = 0; turn < TURNS; turn++) {
        await ours.measure(url, service.pid, read, folder, filled);
        await limit.measure(`${bare.base}${read.path}`, bare.pid, read, folder, filled);
      }
      const row = figure(engine, read, ours.perRequest, limit.perRequest);
      // At once: a later row may fail.
      console.error(`${row.claim}: ${row.ratio?.toFixed(2)}`);
      figures.push(row);
    }
    return figures;
  } finally {
    await service.stop();
    await bare.stop();
  }
}

function figure(
  engine: keyof typeof PROMISED,
  { name, path, rows }: ContractRead,
  ours: number,
  limit: number,
): Figure {
  return {
    claim: `${name} on ${engine}${rows === undefined ? '' : `, ${rows} rows`}`,
    value: 1 / ours,
    unit: 'requests per processor second',
    against: { name: engine === 'sqlite' ? 'bare node:http' : 'bare node:http with pg', value: 1 / limit },
    ratio: limit / ours,
    promise: { atLeast: PROMISED[engine][rows === undefined ? 'record' : 'list'] },
    note: `GET ${path.replace(/[0-9a-z]{26}/g, '…')}`,
  };
}

/** Processor seconds of requests, with those of the database server. */
class Cost {
  #seconds = 0;
  #requests = 0;

  async measure(url: string, pid: number, { headers }: ContractRead, folder: string, { env }: FilledDatabase) {
    const { HORTUS_DATABASE_URL: database } = env;
    const pids = () => [pid, ...(database === undefined ? [] : backendsOf(new URL(database).pathname.slice(1)))];
    const used = processorTimeOf(pids);
    const { requests } = await load({ url, connections: CONNECTIONS, seconds: TURN_SECONDS, headers, folder });
    this.#seconds += used();
    this.#requests += requests;
  }

  get perRequest(): number {
    return this.#seconds / this.#requests;
  }
}

type ServiceOptions = NonNullable<Parameters<typeof startService>[0]>;

async function startOn(folder: string, { key, env }: FilledDatabase, options: ServiceOptions = {}) {
  const again = { root: `http://127.0.0.1:${await freePort()}`, key, folder };
  return await startService({ ...options, again, env: { ...env, ...options.env } });
}

async function startBare(folder: string, filled: FilledDatabase) {
  const file = join(folder, 'bare-reads.json');
  writeFileSync(file, JSON.stringify(await sampled(folder, filled)));
  const port = await freePort();
  const { HORTUS_DATABASE_URL = '' } = filled.env;
  const args = ['bench/bare-reads.ts', String(port), file, HORTUS_DATABASE_URL];
  const child = startProcess(['taskset', '-c', HORTUS_DATABASE_URL ? '0,1' : '0', process.execPath, ...args]);
  await child.waitForHttp(`http://127.0.0.1:${port}/`);
  return { base: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.stop() };
}

const hopByHop = new Set(['connection', 'keep-alive', 'date']);

/** Asks a service of its own for the answers, because recording its statements makes it slower. */
async function sampled(folder: string, filled: FilledDatabase): Promise<Record<string, BareRead>> {
  const port = await freePort();
  const service = await startOn(folder, filled, {
    nodeArgs: ['--import', './bench/recorded-queries.ts'],
    // A bundle contains its own `pg`, whose statements could not be recorded.
    main: 'packages/service/src/main.ts',
    env: { BENCH_QUERIES_PORT: String(port) },
  });
  const recorded = async () => (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as BareRead['queries'];
  try {
    const samples: Record<string, BareRead> = {};
    for (const { path, headers } of filled.reads) {
      // The first request authenticates with queries; later ones from memory.
      await (await fetch(`${service.base}${path}`, { headers })).arrayBuffer();
      await recorded();
      const response = await fetch(`${service.base}${path}`, { headers });
      if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}.`);
      const kept = [...response.headers].filter(([name]) => !hopByHop.has(name)).flat();
      samples[path] = { headers: kept, body: await response.text(), queries: await recorded() };
    }
    return samples;
  } finally {
    await service.stop();
  }
}
