import { forUse } from '../../storage/locking.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type TemplateRow = Row<'templates'>;

/** Owner of the public templates. */
export const CATALOG = 'catalog';

/** Reads the columns that show whether a template has changed. */
export const listStamps = (queries: Queries) =>
  queries.db
    .selectFrom('templates')
    .select(['id', 'spec_hash', 'status', 'deprecated', 'updated_at'])
    .orderBy('id')
    .execute();

export const findTemplates = (queries: Queries, ids: readonly string[]): Promise<TemplateRow[]> =>
  queries.db.selectFrom('templates').selectAll().where('id', 'in', ids).execute();

export const useTemplate = (tx: Tx, id: string) =>
  forUse(tx.engine, tx.db.selectFrom('templates').select('id').where('id', '=', id)).executeTakeFirst();

export const findCatalogVersions = (queries: Queries, species: string) =>
  queries.db
    .selectFrom('templates')
    .select(['version', 'spec_hash', 'author_account'])
    .where('owner', '=', CATALOG)
    .where('species', '=', species)
    .execute();

export const markDeprecated = (tx: Tx, id: string) =>
  tx.db.updateTable('templates').set({ deprecated: 1, updated_at: tx.now }).where('id', '=', id).execute();

/** Returns the number of templates that did not carry the stamp yet; a start finds none. */
export async function stampTemplate(
  tx: Tx,
  specHash: string,
  { at, digest }: { readonly at: number; readonly digest: string },
): Promise<bigint> {
  const { numUpdatedRows } = await tx.db
    .updateTable('templates')
    .set({ verified_at: at, verified_digest: digest, updated_at: tx.now })
    .where('owner', '=', CATALOG)
    .where('spec_hash', '=', specHash)
    .where((where) => where.or([where('verified_at', 'is', null), where('verified_at', '!=', at)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows;
}
