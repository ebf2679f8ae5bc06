import type { Tx } from '../../storage/storage.ts';

export interface Count {
  readonly subject: string;
  readonly count: number;
}

/** Far below the maximum number of parameters of a statement. */
const ROWS_PER_STATEMENT = 5_000;

/** Adds counts to those of the other replicas and returns the sums. */
export async function addCounts(tx: Tx, windowStart: number, counts: readonly Count[]): Promise<Count[]> {
  const sums: Count[] = [];
  for (let from = 0; from < counts.length; from += ROWS_PER_STATEMENT) {
    const rows = counts.slice(from, from + ROWS_PER_STATEMENT);
    const added = await tx.db
      .insertInto('rate_windows')
      .values(rows.map(({ subject, count }) => ({ subject, window_start: windowStart, count })))
      .onConflict((conflict) =>
        conflict.columns(['subject', 'window_start']).doUpdateSet(({ ref, eb }) => ({
          count: eb('rate_windows.count', '+', ref('excluded.count')),
        })),
      )
      .returning(['subject', 'count'])
      .execute();
    sums.push(...added);
  }
  return sums;
}

export async function deleteWindowsBefore(tx: Tx, start: number): Promise<void> {
  await tx.db.deleteFrom('rate_windows').where('window_start', '<', start).execute();
}
