import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Postgres, startPostgres } from './postgres.ts';
import { startProcess } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

test('a test PostgreSQL allows many connections and uses a language sort order', async () => {
  expect(await ask(server.url, 'show max_connections')).toBe('200');
  expect(await ask(server.url, `select 'a' < 'B' as "max"`)).toBe(true);
});

test('a test PostgreSQL keeps its address and acknowledged data across restarts and kills', async () => {
  await ask(server.url, 'create table entries (id serial)');
  const ends = [
    () => server.restart(),
    () => server.restart({ immediate: true }),
    () => server.kill().then(() => server.restart()),
  ];
  for (const [index, end] of ends.entries()) {
    await ask(server.url, 'insert into entries default values');
    await end();
    expect(await ask(server.url, 'select count(*)::int from entries')).toBe(index + 1);
  }
});

test('a killed server refuses connections until it is restarted', async () => {
  await server.kill();
  await expect(ask(server.url, 'select 1')).rejects.toThrow();
  await server.restart();
  expect(await ask(server.url, 'select 1')).toBe(1);
});

test('a test PostgreSQL accepts settings, uses fsync on request, and is removed by stop', async () => {
  const durable = await startPostgres({ fsync: true, settings: { work_mem: '1MB' } });
  expect(await ask(durable.url, 'show fsync')).toBe('on');
  expect(await ask(durable.url, 'show work_mem')).toBe('1MB');
  const data = await ask(durable.url, 'show data_directory');
  await durable.stop();
  expect(existsSync(String(data))).toBe(false);
  await expect(ask(durable.url, 'select 1')).rejects.toThrow();
});

test('a test PostgreSQL ends when its parent process is killed', async () => {
  const script = `import { startPostgres } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)};
    console.log((await startPostgres({ fsync: true })).url); setInterval(() => {}, 1000);`;
  // On disk, because a killed owner cannot remove a folder in memory.
  await using folder = temporaryFolder();
  await using owner = startProcess([process.execPath, '--input-type=module', '--eval', script], {
    env: { TMPDIR: folder.path },
  });
  const url = await owner.waitForLine(/^postgres:/);
  await owner.kill();
  await until(
    () =>
      ask(url, 'select 1').then(
        () => false,
        () => true,
      ),
    { describe: 'the orphan to end' },
  );
});

async function ask(url: string, query: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    return (rows as unknown[][])[0]?.[0];
  } finally {
    await client.end();
  }
}
