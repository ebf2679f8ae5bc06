import { hasUntold } from '../outbox/store.ts';
import type { Queries } from '../storage/storage.ts';
import type { Tables } from '../storage/tables.ts';

/** Tables that change with every request, or with time alone. The index of names has several. */
const restless = /^(rate_windows|unindexed_names|definition_names.*)$/;
export const restlessColumns: Readonly<Record<string, string>> = {
  api_keys: 'last_used_at',
  replicas: 'seen_at',
  sessions: 'last_seen_at',
  user_networks: 'last_login_at',
  servers: 'last_seen_at',
};

/** Returns the contents of all tables, so that a test can check that nothing was written. */
export async function tableContents(queries: Queries): Promise<Record<string, string[]>> {
  const contents: Record<string, string[]> = {};
  for (const table of await tableNames(queries)) {
    const rows = await queries.db.selectFrom(table).selectAll().execute();
    contents[table] = rows.map((row) => JSON.stringify({ ...row, [restlessColumns[table] ?? '']: undefined })).sort();
  }
  return contents;
}

export async function tableNames({ engine, run }: Queries): Promise<(keyof Tables)[]> {
  const text =
    engine === 'postgres'
      ? `select table_name as name from information_schema.tables where table_schema = 'public'`
      : `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`;
  const { rows } = await run(text, []);
  return (rows as { name: keyof Tables }[]).map(({ name }) => name).filter((name) => !restless.test(name));
}

/**
 * Events are dispatched a moment after they are written, and jobs take a while; until then the tables still change. Asks twice:
 * between the two questions an event can become a job, and a job that ends can write an event.
 */
export async function isAtRest(queries: Queries): Promise<boolean> {
  for (let i = 0; i < 2; i++) if ((await hasWork(queries)) || (await hasUntold(queries))) return false;
  return true;
}

async function hasWork(queries: Queries): Promise<boolean> {
  const busy = await queries.db
    .selectFrom('jobs')
    .select('id')
    // A due job will be claimed in a moment.
    .where((eb) =>
      eb.or([eb('lease_owner', 'is not', null), eb.and([eb('dead', '=', 0), eb('run_at', '<=', Date.now())])]),
    )
    .execute();
  return busy.length > 0;
}
