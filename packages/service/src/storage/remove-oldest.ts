import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './storage.ts';
import type { Tables } from './tables.ts';

interface Oldest {
  /** Column with the time; must have an index. */
  readonly by: string;
  /** Narrows the rows that may go. */
  readonly only?: RawBuilder<unknown>;
}

/** Makes the removal of rows that are older than a time, the oldest first. Returns their number. */
export const removalOfOldest =
  (table: keyof Tables, { by, only = sql`1 = 1` }: Oldest) =>
  async (tx: Tx, before: number, max: number): Promise<number> => {
    const [rows, time] = [sql.table(table), sql.ref(by)];
    const removed = await sql`
      delete from ${rows} where id in
        (select id from ${rows} where ${time} < ${before} and ${only} order by ${time} limit ${max})
      returning id`.execute(tx.db);
    return removed.rows.length;
  };
