import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findIn, listOf } from '../../../storage/lists.ts';
import { forUpdate } from '../../../storage/locking.ts';
import { type Slots, shapedStatement, statement } from '../../../storage/statement.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../../storage/tables.ts';

export type SourceRow = Row<'garden_sources'>;
export type CommitRow = Row<'garden_commits'>;
export type ContentsRow = Row<'garden_commit_contents'>;

export const sourceOf = (queries: Queries, gardenId: string): Promise<SourceRow | undefined> =>
  queries.db.selectFrom('garden_sources').selectAll().where('garden_id', '=', gardenId).executeTakeFirst();

/** Locks the source; every step of a garden's commits does this first, so that they happen one after the other. */
export const lockSource = (tx: Tx, gardenId: string): Promise<SourceRow | undefined> =>
  forUpdate(tx, tx.db.selectFrom('garden_sources').selectAll().where('garden_id', '=', gardenId)).executeTakeFirst();

const sourcesByGarden = shapedStatement<{ gardenIds: readonly string[] }, SourceRow>((db, { gardenIds }) =>
  db.selectFrom('garden_sources').selectAll().where('garden_id', 'in', gardenIds),
);

export const sourcesOf = async (queries: Queries, gardenIds: readonly string[]): Promise<SourceRow[]> =>
  gardenIds.length === 0 ? [] : sourcesByGarden(queries, { gardenIds });

export async function countSources(queries: Queries, accountId: string): Promise<number> {
  const { total } = await queries.db
    .selectFrom('garden_sources')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Returns false if the garden has a source already. */
export async function insertSource(tx: Tx, row: NewRow<'garden_sources'>): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('garden_sources')
    .values(row)
    .onConflict((clash) => clash.column('garden_id').doNothing())
    .returning('garden_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export const updateSource = (tx: Tx, gardenId: string, set: Partial<SourceRow>) =>
  tx.db.updateTable('garden_sources').set(set).where('garden_id', '=', gardenId).execute();

export interface CommitFilter {
  readonly gardenId: string;
  readonly status?: CommitRow['status'] | undefined;
}

const matching =
  ({ gardenId, status }: Slots<CommitFilter>) =>
  (eb: ExpressionBuilder<Tables, 'garden_commits'>): Expression<SqlBool> =>
    eb.and([eb('garden_id', '=', gardenId), ...(status === undefined ? [] : [eb('status', '=', status)])]);

export const commitList = listOf('garden_commits', matching);

export const findCommit = findIn('garden_commits');

export const commitById = (queries: Queries, id: string): Promise<CommitRow | undefined> =>
  queries.db.selectFrom('garden_commits').selectAll().where('id', '=', id).executeTakeFirst();

const ofGarden = (queries: Queries, gardenId: string) =>
  queries.db.selectFrom('garden_commits').selectAll().where('garden_id', '=', gardenId);

const applied = statement<{ gardenId: string }, CommitRow>((db, p) =>
  db
    .selectFrom('garden_commits')
    .selectAll()
    .where('garden_id', '=', p.gardenId)
    .where('status', '=', 'applied')
    .orderBy('id', 'desc')
    .limit(1),
);

export const newestCommit = (queries: Queries, gardenId: string): Promise<CommitRow | undefined> =>
  ofGarden(queries, gardenId).orderBy('id', 'desc').limit(1).executeTakeFirst();

export const applyingCommit = (queries: Queries, gardenId: string): Promise<CommitRow | undefined> =>
  ofGarden(queries, gardenId).where('status', '=', 'applying').executeTakeFirst();

export const appliedCommit = async (queries: Queries, gardenId: string): Promise<CommitRow | undefined> =>
  (await applied(queries, { gardenId }))[0];

/** Lists the commits that a newer one supersedes. */
export const openCommits = (tx: Tx, gardenId: string): Promise<CommitRow[]> =>
  ofGarden(tx, gardenId).where('status', 'in', ['found', 'planned', 'waiting', 'approved']).execute();

/** Finds the newest commit of each garden, or the newest in a state. */
export async function newestCommits(
  queries: Queries,
  gardenIds: readonly string[],
  status?: CommitRow['status'],
): Promise<ReadonlyMap<string, CommitRow>> {
  if (gardenIds.length === 0) return new Map();
  const rows = await queries.db
    .selectFrom('garden_commits')
    .selectAll()
    .where('id', 'in', (eb) => {
      const newest = eb
        .selectFrom('garden_commits as newest')
        .select((inner) => inner.fn.max('newest.id').as('id'))
        .where('newest.garden_id', 'in', gardenIds)
        .groupBy('newest.garden_id');
      return status === undefined ? newest : newest.where('newest.status', '=', status);
    })
    .execute();
  return new Map(rows.map((row) => [row.garden_id, row]));
}

export const updateCommit = (
  tx: Tx,
  id: string,
  set: Partial<Pick<CommitRow, 'counts' | 'plan_hash' | 'reported' | 'report_attempts' | 'updated_at'>>,
) => tx.db.updateTable('garden_commits').set(set).where('id', '=', id).execute();

export const insertContents = (tx: Tx, row: ContentsRow) =>
  tx.db.insertInto('garden_commit_contents').values(row).execute();

const contents = statement<{ commitId: string }, ContentsRow>((db, p) =>
  db.selectFrom('garden_commit_contents').selectAll().where('commit_id', '=', p.commitId),
);

export const contentsOf = async (queries: Queries, commitId: string): Promise<ContentsRow | undefined> =>
  (await contents(queries, { commitId }))[0];

export const updateContents = (tx: Tx, commitId: string, set: Partial<Pick<ContentsRow, 'files' | 'plan'>>) =>
  tx.db.updateTable('garden_commit_contents').set(set).where('commit_id', '=', commitId).execute();

/** Removes the files of commits that were applied before this one. */
export const forgetOlderFiles = (tx: Tx, { garden_id, id }: Pick<CommitRow, 'garden_id' | 'id'>) =>
  tx.db
    .updateTable('garden_commit_contents')
    .set({ files: '' })
    .where('files', '!=', '')
    .where('commit_id', 'in', (eb) =>
      eb.selectFrom('garden_commits').select('id').where('garden_id', '=', garden_id).where('id', '<', id),
    )
    .execute();

/** Finds the gardens whose commits are applied by one of these runs. */
export const gardensApplyingBy = (queries: Queries, runIds: readonly string[]) =>
  queries.db
    .selectFrom('garden_commits')
    .select('garden_id as id')
    .distinct()
    .where('run_id', 'in', runIds)
    .where('status', '=', 'applying')
    .execute();
