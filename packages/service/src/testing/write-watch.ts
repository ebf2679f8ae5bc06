import { until } from '@hortus/testkit/until';
import type { Queries } from '../storage/storage.ts';
import { isAtRest, restlessColumns, tableNames } from './table-contents.ts';

/** Lets a test check that nothing was written, regardless of the size of the database. */
export interface WriteWatch {
  /** Starts watching, after pending work has ended. */
  begin(): Promise<void>;
  /** Returns what was written since then, such as `update servers`; nothing if it was not started. */
  end(): Promise<string[]>;
}

/** Records every changed row by triggers in the database, without the knowledge of the service. */
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

/**
 * Jobs recur and are retried while a test runs: the worker claims, frees and deletes them. Requests only add a job or
 * move its time.
 */
const writtenByWorker: Readonly<Record<string, string>> = {
  'update jobs': 'old.lease_owner is distinct from new.lease_owner',
  'delete jobs': 'old.lease_owner is not null',
};

function whenNoted(table: string, operation: string, changed: string): string {
  const ignored = writtenByWorker[`${operation} ${table}`];
  const conditions = [...(operation === 'update' ? [changed] : []), ...(ignored ? [`not (${ignored})`] : [])];
  return conditions.length === 0 ? '' : `when (${conditions.map((condition) => `(${condition})`).join(' and ')})`;
}

/** Ignores an update that changes no value, or only values that change with time. */
function postgresTrigger(table: string, operation: string): string {
  const apart = `- '${restlessColumns[table] ?? ''}'`;
  const changed = `to_jsonb(old) ${apart} is distinct from to_jsonb(new) ${apart}`;
  return `create trigger noted_${operation} after ${operation} on "${table}" for each row
    ${whenNoted(table, operation, changed)} execute function note_write()`;
}

async function sqliteTrigger(queries: Queries, table: string, operation: string): Promise<string> {
  const { rows } = await queries.run(`select name from pragma_table_info('${table}')`, []);
  const columns = (rows as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== restlessColumns[table]);
  const changed = columns.map((name) => `old."${name}" is not new."${name}"`).join(' or ');
  return `create trigger noted_${operation}_${table} after ${operation} on "${table}" for each row
    ${whenNoted(table, operation, changed)} begin insert into noted_writes values ('${operation} ${table}'); end`;
}
