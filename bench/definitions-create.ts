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
import { definitionRows, insertText, parentRows } from './definition-rows.ts';
import { startService } from './service-process.ts';
import { load } from './wrk.ts';

const run = promisify(execFile);
const CALLERS = 32;
const slow = ['--import', './bench/slow-fsync.ts'];
/** Warm-up for the JIT compilers. */
const WARM_SECONDS = 8;
/** Short alternating turns, because the speed of a shared machine changes within seconds. */
const TURNS = 5;
/** Longer turns for pgbench, which reconnects and prepares its statements in each. */
const PGBENCH_SECONDS = 4;

/** Measures durable creation over HTTP by 32 callers, against the same rows written without a service. */
export const definitionsCreate: Bench = {
  name: 'definitions-create',
  async run(repetitions) {
    return [
      ...(await onSqlite(repetitions, 'SQLite', [])),
      ...(await onSqlite(1, 'SQLite with a 5 ms fsync', slow)),
      await onPostgres(repetitions),
    ];
  },
};

/**
 * The promise is against bare `node:http`, which does the same input and output. The bare loop is only shown: its ratio falls
 * as the disk gets faster, because HTTP alone then costs as much as the rows.
 */
async function onSqlite(repetitions: number, where: string, nodeArgs: string[]): Promise<Figure[]> {
  await using folder = temporaryFolder('bench');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const args = ['-c', '0', process.execPath, ...nodeArgs, 'bench/bare-create.ts', folder.path, String(port)];
  await using bare = startProcess(['taskset', ...args]);
  await bare.waitForLine('listening');
  await using service = await creating({ nodeArgs });
  const loop = async () => Number(await (await fetch(url)).text());
  const behindHttp = { url, connections: CALLERS, headers: {}, body: `'{"n":' .. n .. '}'`, folder: folder.path };
  await load({ ...behindHttp, seconds: WARM_SECONDS });
  for (let second = 0; second < WARM_SECONDS; second++) await loop();
  const againstLoop: Turn[] = [];
  const againstHttp: Turn[] = [];
  for (let turn = 0; turn < repetitions * TURNS; turn++) {
    const { perSecond } = await load({ ...behindHttp, seconds: 1 });
    const ours = await service.created(1);
    againstHttp.push({ ours, limit: perSecond });
    againstLoop.push({ ours, limit: await loop() });
  }
  const loopMs = await service.loopMs();
  const { promise: _, ...shown } = figure(where, 'bare group commit', againstLoop, loopMs);
  return [figure(where, 'the same rows behind bare node:http', againstHttp, loopMs, 0.5), shown];
}

async function onPostgres(repetitions: number): Promise<Figure> {
  const server = await startPostgres({ fsync: true });
  try {
    await using ours = await createDatabase(server.url);
    const env = { HORTUS_DATABASE_URL: ours.url, HORTUS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
    await using service = await creating({ env });
    await using bench = await pgbench(server.url);
    const turns: Turn[] = [];
    for (let turn = 0; turn < repetitions; turn++)
      turns.push({ ours: await service.created(PGBENCH_SECONDS), limit: await bench.created(PGBENCH_SECONDS) });
    return figure('PostgreSQL', 'pgbench', turns, await service.loopMs());
  } finally {
    await server.stop();
  }
}

interface Turn {
  readonly ours: number;
  readonly limit: number;
}

const figure = (where: string, limit: string, turns: readonly Turn[], loopMs: number, atLeast = 0.4): Figure => ({
  claim: `POST /definitions on ${where}, ${CALLERS} callers`,
  value: median(turns.map((t) => t.ours)),
  unit: 'requests/s',
  against: { name: limit, value: median(turns.map((t) => t.limit)) },
  ratio: median(turns.map((t) => t.ours / t.limit)),
  promise: { atLeast },
  note: `event loop delay p99 ${loopMs.toFixed(1)} ms`,
});

/** Starts a service and warms it up by creating definitions. */
async function creating(options: Parameters<typeof startService>[0]) {
  const service = await startService(options);
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
  await load({ ...request, seconds: WARM_SECONDS });
  return {
    created: async (seconds: number) => (await load({ ...request, seconds })).perSecond,
    loopMs: async () => 1000 * (await service.metric('nodejs_eventloop_lag_p99_seconds')),
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

/** Writes the same rows with pgbench. */
async function pgbench(serverUrl: string) {
  const database = await createDatabase(serverUrl);
  const folder = temporaryFolder('bench');
  const storage = await openPostgres({ url: database.url });
  await storage.write(async (tx) => {
    for (const row of parentRows) await tx.run(row, []);
  });
  await storage.close();
  mkdirSync(folder.path, { recursive: true });
  const script = join(folder.path, 'definitions.sql');
  const unique = (value: string) => `'${value.slice(0, 4)}' || :client_id::text || '-' || :n::text`;
  const rows = definitionRows(0);
  // Includes what the dispatcher writes later, because the embedded database writes it with the insert.
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
  const args = ['-n', '-M', 'prepared', '-c', String(CALLERS), '-j', '1', '-f', script];
  return {
    /** Counts from the moment all are connected. */
    async created(seconds: number): Promise<number> {
      const { stdout } = await run('pgbench', [...args, '-T', String(seconds), database.url]);
      return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
