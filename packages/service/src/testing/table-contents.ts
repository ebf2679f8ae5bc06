import { hasUntold } from '../outbox/store.ts';
import type { Queries } from '../storage/storage.ts';
import type { Tables } from '../storage/tables.ts';

/** Change with every request, or with time alone, whatever is asked for. */
const restless: readonly string[] = ['rate_windows'];
export const restlessColumns: Readonly<Record<string, string>> = {
  api_keys: 'last_used_at',
  replicas: 'seen_at',
  servers: 'last_seen_at',
};

/** Everything the database holds, table by table, so that a test can say that nothing was written. */
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
  return (rows as { name: keyof Tables }[]).map(({ name }) => name).filter((name) => !restless.includes(name));
}

/** Events are told a moment after they are written, and jobs take a while; until then the tables are not at rest. */
export async function isAtRest(queries: Queries): Promise<boolean> {
  if (await hasUntold(queries)) return false;
  const due = queries.db
    .selectFrom('jobs')
    .select('id')
    .where('dead', '=', 0)
    .where((eb) => eb.or([eb('lease_owner', 'is not', null), eb('run_at', '<=', Date.now())]));
  return (await due.execute()).length === 0;
}
