import pg from 'pg';
import { expect, test } from 'vitest';
import { startPatroni } from './patroni.ts';

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

test('a killed primary is replaced by the synchronous standby, and returns as a standby', async () => {
  await using cluster = await startPatroni();
  const first = await cluster.primary();
  await ask(cluster.urlOf(first), 'create table kept as select 1 as number');
  await cluster.kill(first);
  const second = await cluster.primary();
  expect(second).not.toBe(first);
  expect(await ask(cluster.urlOf(second), 'select number from kept')).toEqual([{ number: 1 }]);
  cluster.start(first);
  await cluster.whole();
  expect(await ask(cluster.urlOf(first), 'select pg_is_in_recovery() as standby')).toEqual([{ standby: true }]);
});
