import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findIn, listOf, lockById, lockIn, ofAccount } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import { type Slots, shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type GardenRow = Row<'gardens'>;
export type GardenItemRow = Row<'garden_items'>;
export type GardenRunRow = Row<'garden_runs'>;
export type GardenChangeRow = Row<'garden_changes'>;

export const gardenList = listOf('gardens', ofAccount);

export const findGarden = findIn('gardens');
export const lockGarden = lockIn('gardens');

const byName = statement<{ accountId: string; name: string }, GardenRow>((db, p) =>
  db.selectFrom('gardens').selectAll().where('account_id', '=', p.accountId).where('name', '=', p.name),
);

export const gardenByName = async (queries: Queries, accountId: string, name: string): Promise<GardenRow | undefined> =>
  (await byName(queries, { accountId, name }))[0];

/** Inserts the garden unless its name exists, and locks it. */
export async function holdGarden(tx: Tx, row: GardenRow): Promise<GardenRow> {
  await tx.db
    .insertInto('gardens')
    .values(row)
    .onConflict((clash) => clash.columns(['account_id', 'name']).doNothing())
    .execute();
  const held = tx.db
    .selectFrom('gardens')
    .selectAll()
    .where('account_id', '=', row.account_id)
    .where('name', '=', row.name);
  return forUpdate(tx, held).executeTakeFirstOrThrow();
}

/** Whether a garden is followed in a repository. */
export const isFollowed = async (queries: Queries, gardenId: string): Promise<boolean> =>
  (await queries.db
    .selectFrom('garden_sources')
    .select('garden_id')
    .where('garden_id', '=', gardenId)
    .executeTakeFirst()) !== undefined;

export const deleteGarden = (tx: Tx, id: string) => tx.db.deleteFrom('gardens').where('id', '=', id).execute();

/** Lists what all gardens of an account describe, with the names of the gardens. */
export const itemsOfAccount = (queries: Queries, accountId: string) =>
  queries.db
    .selectFrom('garden_items')
    .innerJoin('gardens', 'gardens.id', 'garden_items.garden_id')
    .selectAll('garden_items')
    .select('gardens.name as garden')
    .where('garden_items.account_id', '=', accountId)
    .execute();

interface OfGardens {
  readonly gardenIds: readonly string[];
}

const madeByGarden = shapedStatement<OfGardens, { garden_id: string; total: number }>((db, { gardenIds }) =>
  db
    .selectFrom('garden_items')
    .select('garden_id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('garden_id', 'in', gardenIds)
    .where('made', '=', 1)
    .groupBy('garden_id'),
);

/** Counts what each garden made. */
export async function countMade(queries: Queries, gardenIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (gardenIds.length === 0) return new Map();
  const rows = await madeByGarden(queries, { gardenIds });
  return new Map(rows.map(({ garden_id, total }) => [garden_id, Number(total)]));
}

/** Records that a garden describes a record. One that it made stays its own. */
export const writeItem = (tx: Tx, row: GardenItemRow) =>
  tx.db
    .insertInto('garden_items')
    .values(row)
    .onConflict((clash) => {
      const { resource_id, made } = row;
      const key = clash.columns(['garden_id', 'kind', 'key']);
      return key.doUpdateSet(made === 1 ? { resource_id, made } : { resource_id });
    })
    .execute();

export const deleteItem = (tx: Tx, { garden_id, kind, key }: Pick<GardenItemRow, 'garden_id' | 'kind' | 'key'>) =>
  tx.db
    .deleteFrom('garden_items')
    .where('garden_id', '=', garden_id)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .execute();

export interface RunFilter {
  readonly gardenId: string;
  readonly status?: GardenRunRow['status'] | undefined;
}

const matching =
  ({ gardenId, status }: Slots<RunFilter>) =>
  (eb: ExpressionBuilder<Tables, 'garden_runs'>): Expression<SqlBool> =>
    eb.and([eb('garden_id', '=', gardenId), ...(status === undefined ? [] : [eb('status', '=', status)])]);

export const runList = listOf('garden_runs', matching);

export const findRun = findIn('garden_runs');

export const runById = (queries: Queries, id: string): Promise<GardenRunRow | undefined> =>
  queries.db.selectFrom('garden_runs').selectAll().where('id', '=', id).executeTakeFirst();

export const lockRun = lockById('garden_runs');

/** Finds the run that a garden is being applied by. The caller has locked the garden. */
export const applyingRun = (queries: Queries, gardenId: string): Promise<GardenRunRow | undefined> =>
  queries.db
    .selectFrom('garden_runs')
    .selectAll()
    .where('garden_id', '=', gardenId)
    .where('status', '=', 'applying')
    .executeTakeFirst();

const newestByGarden = shapedStatement<OfGardens, GardenRunRow>((db, { gardenIds }) =>
  db
    .selectFrom('garden_runs')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('garden_runs as newest')
        .select((inner) => inner.fn.max('newest.id').as('id'))
        .where('newest.garden_id', 'in', gardenIds)
        .groupBy('newest.garden_id'),
    ),
);

/** Finds the newest run of each garden. */
export const newestRuns = async (queries: Queries, gardenIds: readonly string[]): Promise<GardenRunRow[]> =>
  gardenIds.length === 0 ? [] : newestByGarden(queries, { gardenIds });

export const setCancelled = (tx: Tx, id: string) =>
  tx.db.updateTable('garden_runs').set({ cancelled: 1, updated_at: tx.now }).where('id', '=', id).execute();

/** Well below the parameter limits of both engines. */
const ROWS_AT_ONCE = 500;

export async function insertChanges(tx: Tx, rows: readonly NewRow<'garden_changes'>[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await tx.db
      .insertInto('garden_changes')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
}

const changes = statement<{ runId: string }, GardenChangeRow>((db, p) =>
  db.selectFrom('garden_changes').selectAll().where('run_id', '=', p.runId).orderBy('place'),
);

export const changesOf = (queries: Queries, runId: string): Promise<GardenChangeRow[]> => changes(queries, { runId });

export const findChange = (queries: Queries, runId: string, place: number): Promise<GardenChangeRow | undefined> =>
  queries.db
    .selectFrom('garden_changes')
    .selectAll()
    .where('run_id', '=', runId)
    .where('place', '=', place)
    .executeTakeFirst();

const doneByRun = shapedStatement<{ runIds: readonly string[] }, { run_id: string; total: number }>((db, { runIds }) =>
  db
    .selectFrom('garden_changes')
    .select('run_id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('run_id', 'in', runIds)
    .where('state', '=', 'done')
    .groupBy('run_id'),
);

/** Counts the finished changes of runs. */
export async function countDone(queries: Queries, runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (runIds.length === 0) return new Map();
  const rows = await doneByRun(queries, { runIds });
  return new Map(rows.map(({ run_id, total }) => [run_id, Number(total)]));
}

export const updateChange = (
  tx: Tx,
  { run_id, place }: Pick<GardenChangeRow, 'run_id' | 'place'>,
  set: Partial<Pick<GardenChangeRow, 'state' | 'resource_id' | 'deployment_id' | 'from_revision' | 'error'>>,
) => tx.db.updateTable('garden_changes').set(set).where('run_id', '=', run_id).where('place', '=', place).execute();

export const skipWaiting = (tx: Tx, runId: string) =>
  tx.db
    .updateTable('garden_changes')
    .set({ state: 'skipped' })
    .where('run_id', '=', runId)
    .where('state', '=', 'waiting')
    .execute();

/** Finds the runs that wait for one of these deployments. */
export const runsWaitingFor = (queries: Queries, deploymentIds: readonly string[]) =>
  queries.db
    .selectFrom('garden_changes')
    .select('run_id as id')
    .distinct()
    .where('deployment_id', 'in', deploymentIds)
    .where('state', '=', 'running')
    .execute();
