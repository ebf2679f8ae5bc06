import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findIn, listOf, lockById } from '../../storage/lists.ts';
import type { Slots } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type ImportRow = Row<'imports'>;

export interface ImportFilter {
  readonly accountId: string;
  readonly status?: ImportRow['status'] | undefined;
}

const matching =
  ({ accountId, status }: Slots<ImportFilter>) =>
  (eb: ExpressionBuilder<Tables, 'imports'>): Expression<SqlBool> =>
    eb.and([eb('account_id', '=', accountId), ...(status === undefined ? [] : [eb('status', '=', status)])]);

export const importList = listOf('imports', matching);

export const findImport = findIn('imports');

export const importById = (queries: Queries, id: string): Promise<ImportRow | undefined> =>
  queries.db.selectFrom('imports').selectAll().where('id', '=', id).executeTakeFirst();

export const lockImport = lockById('imports');

/** Lists the imports of an account with a template. */
export const importsOf = (tx: Tx, accountId: string, templateId: string) =>
  tx.db
    .selectFrom('imports')
    .select(['status', 'brought_template'])
    .where('account_id', '=', accountId)
    .where('template_id', '=', templateId)
    .execute();

export const noteProgress = (tx: Tx, id: string) =>
  tx.db.updateTable('imports').set({ progress_at: tx.now }).where('id', '=', id).execute();
