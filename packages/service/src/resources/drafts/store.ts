import { type Expression, sql } from 'kysely';
import { list, lockById } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import { statement } from '../../storage/statement.ts';
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

export const setDeprecated = (tx: Tx, id: string) =>
  tx.db.updateTable('templates').set({ deprecated: 1, updated_at: tx.now }).where('id', '=', id).execute();

export const removeTemplate = async (tx: Tx, id: string): Promise<void> =>
  void (await tx.db.deleteFrom('templates').where('id', '=', id).execute());

export type TestRow = Row<'template_tests'>;

const byId = statement<{ owner: string; id: string }, TemplateRow>((db, p) =>
  db.selectFrom('templates').selectAll().where('id', '=', p.id).where('owner', '=', p.owner),
);

export const findTemplate = async (queries: Queries, owner: string, id: string): Promise<TemplateRow | undefined> =>
  (await byId(queries, { owner, id }))[0];

const ofTemplate = (db: Queries['db'], templateId: Expression<string>) =>
  db.selectFrom('template_tests').where('template_id', '=', templateId);

export const testList = list<{ readonly templateId: string }, TestRow>('template tests', {
  page: (db, { templateId }, { limit, offset }) =>
    ofTemplate(db, templateId).selectAll().orderBy('id', 'desc').limit(limit).offset(offset),
  all: (db, { templateId }) => ofTemplate(db, templateId).select('id'),
});

export const lockTest = lockById('template_tests');

/** Finds the unfinished test; there is at most one per template. */
export const findUnderWay = (queries: Queries, templateId: string): Promise<TestRow | undefined> =>
  queries.db
    .selectFrom('template_tests')
    .selectAll()
    .where('template_id', '=', templateId)
    .where('status', 'in', [sql.lit('deploying' as const), sql.lit('testing' as const)])
    .executeTakeFirst();

export const hasPassed = async (queries: Queries, templateId: string, specHash: string): Promise<boolean> => {
  const passed = queries.db
    .selectFrom('template_tests')
    .select('id')
    .where('template_id', '=', templateId)
    .where('spec_hash', '=', specHash)
    .where('status', '=', sql.lit('passed' as const));
  return (await passed.limit(1).execute()).length > 0;
};

/** Finds the tests that wait for one of these deployments or executions. */
export const testsWaitingFor = (queries: Queries, ids: readonly string[]) =>
  queries.db
    .selectFrom('template_tests')
    .select('id')
    .where('cleared_at', 'is', null)
    .where((eb) => eb.or([eb('deployment_id', 'in', ids), eb('smoke_id', 'in', ids), eb('release_id', 'in', ids)]))
    .execute();

/** Writes columns other than the status. */
export const noteTest = (tx: Tx, id: string, columns: Partial<Pick<TestRow, 'release_id' | 'cleared_at'>>) =>
  tx.db.updateTable('template_tests').set(columns).where('id', '=', id).execute();
