import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { countUpTo } from '../../storage/count-up-to.ts';
import { forUpdate } from '../../storage/locking.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type ConfigRow = Row<'saved_configs'>;
export type ConfigSecretRow = Row<'saved_config_secrets'>;

export interface ConfigFilter {
  readonly accountId: string;
  readonly species?: string | undefined;
}

const matching =
  (filter: ConfigFilter) =>
  (eb: ExpressionBuilder<Tables, 'saved_configs'>): Expression<SqlBool> =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      ...(filter.species === undefined ? [] : [eb('species', '=', filter.species)]),
    ]);

export const listConfigs = (queries: Queries, filter: ConfigFilter, limit: number, offset: number) =>
  queries.db
    .selectFrom('saved_configs')
    .selectAll()
    .where(matching(filter))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();

export const countConfigs = (queries: Queries, filter: ConfigFilter, atMost: number): Promise<number> =>
  countUpTo(queries, queries.db.selectFrom('saved_configs').select('id').where(matching(filter)), atMost);

export const findConfig = (queries: Queries, accountId: string, id: string): Promise<ConfigRow | undefined> =>
  queries.db
    .selectFrom('saved_configs')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();

export const lockConfig = (tx: Tx, accountId: string, id: string): Promise<ConfigRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('saved_configs').selectAll().where('id', '=', id).where('account_id', '=', accountId),
  ).executeTakeFirst();

export const insertConfig = async (tx: Tx, row: NewRow<'saved_configs'>): Promise<void> =>
  void (await tx.db.insertInto('saved_configs').values(row).execute());

export async function updateConfig(
  tx: Tx,
  row: ConfigRow,
  columns: Pick<ConfigRow, 'name' | 'profile' | 'variant' | 'inputs'>,
): Promise<ConfigRow> {
  const changed = { ...columns, updated_at: tx.now };
  await tx.db.updateTable('saved_configs').set(changed).where('id', '=', row.id).execute();
  return { ...row, ...changed };
}

/** Its secrets are deleted by cascade. */
export const deleteConfig = async (tx: Tx, id: string): Promise<void> =>
  void (await tx.db.deleteFrom('saved_configs').where('id', '=', id).execute());

export const secretsOf = (queries: Queries, configIds: readonly string[]): Promise<ConfigSecretRow[]> =>
  queries.db
    .selectFrom('saved_config_secrets')
    .selectAll()
    .where('config_id', 'in', configIds)
    .orderBy('name')
    .execute();

export const writeSecret = async (tx: Tx, row: ConfigSecretRow): Promise<void> =>
  void (await tx.db
    .insertInto('saved_config_secrets')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['config_id', 'name']).doUpdateSet((eb) => ({ ciphertext: eb.ref('excluded.ciphertext') })),
    )
    .execute());

export const removeSecret = async (tx: Tx, configId: string, name: string): Promise<void> =>
  void (await tx.db
    .deleteFrom('saved_config_secrets')
    .where('config_id', '=', configId)
    .where('name', '=', name)
    .execute());
