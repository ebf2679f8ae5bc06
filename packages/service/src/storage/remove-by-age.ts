import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './storage.ts';

/** Tables whose rows have no id of their own. */
type Aged = 'idempotency' | 'tombstones';

/**
 * Passes the age up to which rows go to `remove`: that of the last of the `max` oldest. Rows of the same millisecond go together.
 * `only` narrows the rows that count.
 */
export async function removeByAge(
  tx: Tx,
  table: Aged,
  { before, max, only = sql`1 = 1` }: { before: number; max: number; only?: RawBuilder<unknown> },
  remove: (upTo: number) => Promise<readonly unknown[]>,
): Promise<number> {
  const { rows } = await sql<{ created_at: number }>`
    select created_at from ${sql.table(table)} where created_at < ${before} and ${only}
    order by created_at limit ${max}`.execute(tx.db);
  const last = rows.at(-1);
  return last ? (await remove(last.created_at)).length : 0;
}
