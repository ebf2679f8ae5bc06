import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgres } from '@hortus/service/storage/postgres/open';
import { createDatabase } from '@hortus/testkit/database';
import { freePort } from '@hortus/testkit/port';
import { startPostgres } from '@hortus/testkit/postgres';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { type Bench, type Figure, median } from './claim.ts';
import { definitionRows, groundRows, insertText } from './definition-rows.ts';
import { startService } from './service-process.ts';
import { load } from './wrk.ts';

const run = promisify(execFile);
const SECONDS = 4;
const CALLERS = 32;
const slow = ['--import', './bench/slow-fsync.ts'];

/** Durable creation over HTTP by 32 callers, against the same rows written without a service. */
export const definitionsCreate: Bench = {
  name: 'definitions-create',
  async run(repetitions) {
    return [
      await onSqlite(repetitions, 'SQLite', []),
      await behindHttp(repetitions),
      await onSqlite(Math.min(repetitions, 1), 'SQLite with a 5 ms fsync', slow),
      await onPostgres(repetitions),
    ];
  },
};

async function onSqlite(repetitions: number, where: string, nodeArgs: string[]): Promise<Figure> {
  const pairs = [];
  for (let i = 0; i < repetitions; i++)
    pairs.push({ ...(await create({ nodeArgs })), limit: await bareGroupCommit(nodeArgs) });
  return figure(where, 'bare group commit', pairs);
}

/** How much of the distance to the bare loop is `node:http` itself, which no service in this process can do without. */
async function behindHttp(repetitions: number): Promise<Figure> {
  const pairs = [];
  for (let i = 0; i < repetitions; i++) {
    await using folder = temporaryFolder('bench');
    const port = await freePort();
    const args = ['-c', '0', process.execPath, 'bench/bare-http-create.ts', folder.path, String(port)];
    const bare = startProcess(['taskset', ...args]);
    await bare.waitForLine('listening');
    const request = {
      url: `http://127.0.0.1:${port}/`,
      connections: CALLERS,
      headers: {},
      body: `'{"n":' .. n .. '}'`,
    };
    await load({ ...request, folder: folder.path, seconds: 3 });
    const { perSecond } = await load({ ...request, folder: folder.path, seconds: SECONDS });
    await bare.stop();
    pairs.push({ ...(await create({})), limit: perSecond });
  }
  const { promise: _, ...told } = figure('SQLite', 'the same rows behind bare node:http', pairs);
  return told;
}

async function onPostgres(repetitions: number): Promise<Figure> {
  const server = await startPostgres({ fsync: true });
  try {
    const pairs = [];
    for (let i = 0; i < repetitions; i++) {
      await using ours = await createDatabase(server.url);
      const env = { HORTUS_DATABASE_URL: ours.url, HORTUS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
      pairs.push({ ...(await create({ env })), limit: await pgbench(server.url) });
    }
    return figure('PostgreSQL', 'pgbench', pairs);
  } finally {
    await server.stop();
  }
}

interface Pair {
  readonly ours: number;
  readonly loopMs: number;
  readonly limit: number;
}

const figure = (where: string, limit: string, pairs: readonly Pair[]): Figure => ({
  claim: `POST /definitions on ${where}, ${CALLERS} callers`,
  value: median(pairs.map((p) => p.ours)),
  unit: 'requests/s',
  against: { name: limit, value: median(pairs.map((p) => p.limit)) },
  ratio: median(pairs.map((p) => p.ours / p.limit)),
  promise: { atLeast: 0.4 },
  note: `event loop delay p99 ${median(pairs.map((p) => p.loopMs)).toFixed(1)} ms`,
});

async function create(options: Parameters<typeof startService>[0]): Promise<Omit<Pair, 'limit'>> {
  const service = await startService(options);
  try {
    const { data } = await service.client.call('servers.register', {
      body: { name: 'bench', environment: 'production' },
    });
    const body = `'{"species":"static-site","server_id":"${data.id}","inputs":{"WEB_HOSTNAME":"bench.example.org"},"instance_uid":"bench-' .. string.format('%d', n) .. '"}'`;
    const request = {
      url: `${service.base}/definitions`,
      connections: CALLERS,
      headers: service.headers,
      body,
      folder: service.folder,
    };
    // The first seconds belong to the compiler.
    await load({ ...request, seconds: 3 });
    const { perSecond } = await load({ ...request, seconds: SECONDS });
    return { ours: perSecond, loopMs: 1000 * (await service.metric('nodejs_eventloop_lag_p99_seconds')) };
  } finally {
    await service.stop();
  }
}

async function bareGroupCommit(nodeArgs: string[]): Promise<number> {
  await using folder = temporaryFolder('bench');
  const args = ['-c', '0', process.execPath, ...nodeArgs, 'bench/bare-group-commit.ts', folder.path, String(SECONDS)];
  const { stdout } = await run('taskset', args);
  return Number(/result ([\d.]+)/.exec(stdout)?.[1]);
}

async function pgbench(serverUrl: string): Promise<number> {
  await using database = await createDatabase(serverUrl);
  await using folder = temporaryFolder('bench');
  const storage = await openPostgres({ url: database.url });
  await storage.write(async (tx) => {
    for (const row of groundRows) await tx.run(row, []);
  });
  await storage.close();
  mkdirSync(folder.path, { recursive: true });
  const script = join(folder.path, 'definitions.sql');
  const unique = (value: string) => `'${value.slice(0, 4)}' || :client_id::text || '-' || :n::text`;
  const rows = definitionRows(0);
  // What the dispatcher writes later, here with the row: the embedded database has it from the insert.
  const numbered = { ...rows, events: { ...rows.events, seq: 0 } };
  const inserts = Object.entries(numbered).map(([table, row]: [string, (typeof rows)['events']]) =>
    insertText(table, row, (column) => {
      const value = row[column];
      if (column === 'seq') return ':n';
      if (typeof value !== 'string') return String(value);
      return /^(id|definition_id|resource_id|name|instance_uid|container_name)$/.test(column)
        ? unique(value)
        : `'${value}'`;
    }),
  );
  writeFileSync(
    script,
    ['\\set n random(1, 1000000000000000)', 'begin;', ...inserts.map((t) => `${t};`), 'commit;', ''].join('\n'),
  );
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(CALLERS),
    '-j',
    '1',
    '-T',
    String(SECONDS),
    '-f',
    script,
    database.url,
  ];
  const { stdout } = await run('pgbench', args);
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}
