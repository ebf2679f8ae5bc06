import { sql } from 'kysely';
import type { Removal } from '../../retention/removal.ts';
import type { Tables } from '../../storage/tables.ts';
import { COARSE, FINE } from './steps.ts';

/** A table of points and its key, which begins with their owner. */
interface Series {
  readonly table: Extract<keyof Tables, `${string}_points`>;
  readonly key: readonly [owner: 'server_id' | 'instance_id', ...others: string[]];
}

/** Few owners at a time, because the points of one are stored next to each other. */
const OWNERS_AT_ONCE = 20;

/** Removes points of one step. */
export const removalOfPoints =
  ({ table, key }: Series, step: number): Removal =>
  async (tx, before, max) => {
    const [points, whose] = [sql.table(table), sql.ref(key[0])];
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const old = sql`step = ${step} and at < ${before}`;
    const found = await sql<{ id: string }>`
      select ${whose} as id from ${points} where ${old} order by at limit ${max}`.execute(tx.db);
    if (found.rows.length === 0) return 0;
    const ids = [...new Set(found.rows.map(({ id }) => id))].slice(0, OWNERS_AT_ONCE);
    const removed = await sql`
      delete from ${points} where (${columns}) in
        (select ${columns} from ${points} where ${whose} in (${sql.join(ids)}) and ${old} limit ${max})
      returning at`.execute(tx.db);
    return removed.rows.length;
  };

const usage = { table: 'usage_points', key: ['instance_id', 'step', 'at', 'component'] } as const;

export const removeFineUsage = removalOfPoints(usage, FINE);
export const removeUsage = removalOfPoints(usage, COARSE);
