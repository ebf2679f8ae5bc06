import { until } from '@hortus/testkit/until';
import type { Queries } from '../storage/storage.ts';
import { isAtRest, restlessColumns, tableNames } from './table-contents.ts';

/** Lets a test say that nothing was written, however much the database holds. */
export interface WriteWatch {
  /** From here on nothing may be written; what was ordered before is waited for. */
  begin(): Promise<void>;
  /** What was written since then, such as `update servers`; nothing if it has not begun. */
  end(): Promise<string[]>;
}

/** Has the database itself note every row that changes, by triggers, beside a service that knows nothing of it. */
export async function watchWrites(queries: Queries): Promise<WriteWatch> {
  const tables = await tableNames(queries);
  await queries.run(`create table noted_writes (what text)`, []);
  if (queries.engine === 'postgres') await queries.run(NOTE, []);
  for (const table of tables) {
    for (const operation of ['insert', 'update', 'delete']) {
      const trigger =
        queries.engine === 'postgres'
          ? postgresTrigger(table, operation)
          : await sqliteTrigger(queries, table, operation);
      await queries.run(trigger, []);
    }
  }
  let begun = false;
  return {
    async begin() {
      await until(() => isAtRest(queries), { describe: 'every event to have its number and every job to be over' });
      await queries.run('delete from noted_writes', []);
      begun = true;
    },
    async end() {
      if (!begun) return [];
      begun = false;
      const { rows } = await queries.run('select what from noted_writes', []);
      return (rows as { what: string }[]).map(({ what }) => what);
    },
  };
}

const NOTE = `create function note_write() returns trigger language plpgsql as $$
  begin insert into noted_writes values (lower(tg_op) || ' ' || tg_table_name); return null; end $$`;

/** An update that leaves every value as it was, or changes only what time changes, is none. */
function postgresTrigger(table: string, operation: string): string {
  const apart = `- '${restlessColumns[table] ?? ''}'`;
  const when = `when (to_jsonb(old) ${apart} is distinct from to_jsonb(new) ${apart})`;
  return `create trigger noted_${operation} after ${operation} on "${table}" for each row
    ${operation === 'update' ? when : ''} execute function note_write()`;
}

async function sqliteTrigger(queries: Queries, table: string, operation: string): Promise<string> {
  const { rows } = await queries.run(`select name from pragma_table_info('${table}')`, []);
  const columns = (rows as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== restlessColumns[table]);
  const when = `when ${columns.map((name) => `old."${name}" is not new."${name}"`).join(' or ')}`;
  return `create trigger noted_${operation}_${table} after ${operation} on "${table}" for each row
    ${operation === 'update' ? when : ''} begin insert into noted_writes values ('${operation} ${table}'); end`;
}
