import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { list, lockById, lockIn } from '../../storage/lists.ts';
import type { Slots } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type RehearsalRow = Row<'rehearsals'>;

/** A rehearsal with the name of the copied instance. */
export type NamedRehearsal = RehearsalRow & { readonly instance_name: string };

export interface RehearsalFilter {
  readonly accountId: string;
  readonly id?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly upgradeId?: string | undefined;
  readonly kind?: RehearsalRow['kind'] | undefined;
  readonly status?: RehearsalRow['status'] | undefined;
}

const matching =
  (filter: Slots<RehearsalFilter>) =>
  (eb: ExpressionBuilder<Tables, 'rehearsals'>): Expression<SqlBool> => {
    const equal = [
      ['rehearsals.id', filter.id],
      ['rehearsals.instance_id', filter.instanceId],
      ['rehearsals.upgrade_id', filter.upgradeId],
      ['rehearsals.kind', filter.kind],
      ['rehearsals.status', filter.status],
    ] as const;
    return eb.and([
      eb('rehearsals.account_id', '=', filter.accountId),
      ...equal.flatMap(([column, value]) => (value === undefined ? [] : [eb(column, '=', value as never)])),
    ]);
  };

const named = (db: Kysely<Tables>, filter: Slots<RehearsalFilter>) =>
  db
    .selectFrom('rehearsals')
    .innerJoin('definitions', 'definitions.id', 'rehearsals.definition_id')
    .selectAll('rehearsals')
    .select('definitions.name as instance_name')
    .where(matching(filter));

export const rehearsalList = list<RehearsalFilter, NamedRehearsal>('rehearsals', {
  page: (db, filter, { limit, offset }) =>
    named(db, filter).orderBy('rehearsals.id', 'desc').limit(limit).offset(offset),
  all: (db, filter) => db.selectFrom('rehearsals').select('rehearsals.id').where(matching(filter)),
});

export const findRehearsal = async (
  queries: Queries,
  accountId: string,
  id: string,
): Promise<NamedRehearsal | undefined> => (await rehearsalList(queries, { accountId, id }).rows(1, 0))[0];

export const lockRehearsal = lockIn('rehearsals');

export const lockRehearsalById = lockById('rehearsals');

/** Finds the rehearsal whose copy exists; an instance has at most one. */
export const copyUnderWay = (queries: Queries, instanceId: string): Promise<RehearsalRow | undefined> =>
  queries.db
    .selectFrom('rehearsals')
    .selectAll()
    .where('instance_id', '=', instanceId)
    .where('cleared_at', 'is', null)
    .executeTakeFirst();

/** Finds the rehearsals that wait for one of these deployments or executions. */
export const rehearsalsWaitingFor = (queries: Queries, ids: readonly string[]) =>
  queries.db
    .selectFrom('rehearsals')
    .select('id')
    .where('cleared_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('backup_execution', 'in', ids),
        eb('restore_deployment_id', 'in', ids),
        eb('change_deployment_id', 'in', ids),
        eb('smoke_id', 'in', ids),
        eb('release_id', 'in', ids),
      ]),
    )
    .execute();

/** Writes columns other than the status. */
export const noteRehearsal = (
  tx: Tx,
  id: string,
  columns: Partial<Pick<RehearsalRow, 'release_id' | 'cleared_at' | 'keep_until' | 'updated_at'>>,
) => tx.db.updateTable('rehearsals').set(columns).where('id', '=', id).execute();
