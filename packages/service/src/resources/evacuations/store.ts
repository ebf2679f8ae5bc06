import { findIn, listOf, lockById, lockIn } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import { type Slots, shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type EvacuationRow = Row<'evacuations'>;
export type MoveRow = Row<'evacuation_moves'>;

export interface EvacuationFilter {
  readonly accountId: string;
  readonly serverId: string;
}

export const evacuationList = listOf(
  'evacuations',
  (filter: Slots<EvacuationFilter>) => (eb) =>
    eb.and([eb('server_id', '=', filter.serverId), eb('account_id', '=', filter.accountId)]),
);

export const findEvacuation = findIn('evacuations');
export const lockEvacuation = lockIn('evacuations');

export const lockEvacuationById = lockById('evacuations');

/** Returns the evacuation of a server that has not ended. */
export const openEvacuationOf = (tx: Tx, serverId: string): Promise<EvacuationRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('evacuations').selectAll().where('server_id', '=', serverId).where('finished_at', 'is', null),
  ).executeTakeFirst();

const moves = statement<{ evacuationId: string }, MoveRow>((db, p) =>
  db.selectFrom('evacuation_moves').selectAll().where('evacuation_id', '=', p.evacuationId).orderBy('number'),
);

export const movesOf = (queries: Queries, evacuationId: string): Promise<MoveRow[]> => moves(queries, { evacuationId });

export interface MoveCount {
  readonly evacuation_id: string;
  readonly status: MoveRow['status'];
  readonly number: number;
}

const counted = shapedStatement<{ evacuationIds: readonly string[] }, MoveCount>((db, { evacuationIds }) =>
  db
    .selectFrom('evacuation_moves')
    .select(['evacuation_id', 'status'])
    .select((eb) => eb.fn.countAll<number>().as('number'))
    .where('evacuation_id', 'in', evacuationIds)
    .groupBy(['evacuation_id', 'status']),
);

export const countMoves = async (queries: Queries, evacuationIds: readonly string[]): Promise<MoveCount[]> =>
  evacuationIds.length === 0 ? [] : counted(queries, { evacuationIds });

/** Finds the evacuations that wait for these migrations. */
export const evacuationsWaitingFor = (queries: Queries, migrationIds: readonly string[]) =>
  queries.db
    .selectFrom('evacuation_moves')
    .select('evacuation_id as id')
    .distinct()
    .where('migration_id', 'in', migrationIds)
    .where('finished_at', 'is', null)
    .execute();
