import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type TemplateRow = Row<'templates'>;

/** Owner of the templates that everybody sees. */
export const CATALOG = 'catalog';

export const listCatalogTemplates = (queries: Queries): Promise<TemplateRow[]> =>
  queries.db.selectFrom('templates').selectAll().where('owner', '=', CATALOG).orderBy('id').execute();

export const findCatalogVersions = (queries: Queries, species: string) =>
  queries.db
    .selectFrom('templates')
    .select(['version', 'spec_hash', 'author_account'])
    .where('owner', '=', CATALOG)
    .where('species', '=', species)
    .execute();

export const markDeprecated = (tx: Tx, id: string) =>
  tx.db.updateTable('templates').set({ deprecated: 1, updated_at: tx.now }).where('id', '=', id).execute();
