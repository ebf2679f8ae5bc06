import { statement } from '../../../storage/statement.ts';
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

const later = statement<{ id: string; after: number; limit: number }, LineRow>((db, p) =>
  db
    .selectFrom('deployment_logs')
    .selectAll()
    .where('deployment_id', '=', p.id)
    .where('number', '>', p.after)
    .orderBy('number')
    .limit(p.limit),
);

export const linesAfter = (queries: Queries, id: string, after: number, limit: number): Promise<LineRow[]> =>
  later(queries, { id, after, limit });
