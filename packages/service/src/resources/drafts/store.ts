import { forUpdate } from '../../storage/locking.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type TemplateRow = Row<'templates'>;

export const lockTemplate = (tx: Tx, owner: string, id: string): Promise<TemplateRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('templates').selectAll().where('id', '=', id).where('owner', '=', owner),
  ).executeTakeFirst();

export const lockVersion = (
  tx: Tx,
  owner: string,
  species: string,
  version: string,
): Promise<TemplateRow | undefined> =>
  forUpdate(
    tx,
    tx.db
      .selectFrom('templates')
      .selectAll()
      .where('owner', '=', owner)
      .where('species', '=', species)
      .where('version', '=', version),
  ).executeTakeFirst();

export const countTemplates = async (queries: Queries, owner: string): Promise<number> => {
  const { count } = await queries.db
    .selectFrom('templates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow();
  return Number(count);
};

export const setDeprecated = (tx: Tx, id: string) =>
  tx.db.updateTable('templates').set({ deprecated: 1, updated_at: tx.now }).where('id', '=', id).execute();
