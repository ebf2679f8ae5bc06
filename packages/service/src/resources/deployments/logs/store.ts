import type { Queries, Tx } from '../../../storage/storage.ts';
import type { NewRow, Row } from '../../../storage/tables.ts';

export type LineRow = Row<'deployment_logs'>;

/** Far below the parameter limit of a statement on either engine. */
const LINES_AT_ONCE = 500;

export async function insertLines(tx: Tx, lines: readonly NewRow<'deployment_logs'>[]): Promise<void> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    await tx.db
      .insertInto('deployment_logs')
      .values(lines.slice(from, from + LINES_AT_ONCE))
      .execute();
  }
}

export const linesAfter = (queries: Queries, id: string, after: number, limit: number): Promise<LineRow[]> =>
  queries.db
    .selectFrom('deployment_logs')
    .selectAll()
    .where('deployment_id', '=', id)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
