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
const WARM_REQUESTS = 320;
const PROMISED = { sqlite: { list: 0.3, record: 0.4 }, postgres: { list: 0.6, record: 0.6 } } as const;

/**
 * Measures every ordinary list and record of the contract against bare `node:http` that sends the same bytes; on PostgreSQL the
 * bare server also runs the same statements. Compares processor time per request, because the service and its limit each have one
 * core, and unlike the rate it does not depend on what else the machine does.
 */
export const reads: Bench = {
  name: 'reads',
  async run() {
    return [...worstFirst(await onSqlite()), ...worstFirst(await onPostgres())];
  },
};

const worstFirst = (figures: readonly Figure[]): Figure[] =>
  figures.toSorted((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0));

async function onSqlite(): Promise<Figure[]> {
  await using folder = temporaryFolder('bench');
  return await compared(folder.path, await fillForReads(folder.path), 'sqlite');
}

async function onPostgres(): Promise<Figure[]> {
  const server = await startPostgres();
  try {
    await using database = await createDatabase(server.url);
    await using folder = temporaryFolder('bench');
    return await compared(folder.path, await fillForReads(folder.path, database.url), 'postgres');
  } finally {
    await server.stop();
  }
}

async function compared(folder: string, filled: FilledDatabase, engine: keyof typeof PROMISED): Promise<Figure[]> {
  const bare = await startBare(folder, filled);
  const service = await startOn(folder, filled);
  try {
    for (const read of filled.reads) await warmUp(`${service.base}${read.path}`, read);
    const figures: Figure[] = [];
    for (const read of filled.reads) {
      const ours = await costOf(`${service.base}${read.path}`, service.pid, read, folder, filled);
      const limit = await costOf(`${bare.base}${read.path}`, bare.pid, read, folder, filled);
      figures.push(figure(engine, read, ours, limit));
    }
    return figures;
  } finally {
    await service.stop();
    await bare.stop();
  }
}

/** Lets the compilers of V8 see every handler before the first measurement. */
async function warmUp(url: string, { headers }: ContractRead): Promise<void> {
  const caller = async () => {
    for (let i = 0; i < WARM_REQUESTS / CONNECTIONS; i++) await (await fetch(url, { headers })).arrayBuffer();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
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

/** Returns the processor seconds of one request, with those of the database server. */
async function costOf(url: string, pid: number, { headers }: ContractRead, folder: string, { env }: FilledDatabase) {
  const { HORTUS_DATABASE_URL: database } = env;
  const pids = () => [pid, ...(database === undefined ? [] : backendsOf(new URL(database).pathname.slice(1)))];
  const used = processorTimeOf(pids);
  const { requests } = await load({ url, connections: CONNECTIONS, seconds: 1, headers, folder });
  return used() / requests;
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
      const answer = await fetch(`${service.base}${path}`, { headers });
      if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}.`);
      const kept = [...answer.headers].filter(([name]) => !hopByHop.has(name)).flat();
      samples[path] = { headers: kept, body: await answer.text(), queries: await recorded() };
    }
    return samples;
  } finally {
    await service.stop();
  }
}
