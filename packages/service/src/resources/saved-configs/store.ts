import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findIn, listOf, lockIn } from '../../storage/lists.ts';
import { type Slots, shapedStatement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type ConfigRow = Row<'saved_configs'>;
export type ConfigSecretRow = Row<'saved_config_secrets'>;

export interface ConfigFilter {
  readonly accountId: string;
  readonly species?: string | undefined;
}

const matching =
  (filter: Slots<ConfigFilter>) =>
  (eb: ExpressionBuilder<Tables, 'saved_configs'>): Expression<SqlBool> =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      ...(filter.species === undefined ? [] : [eb('species', '=', filter.species)]),
    ]);

export const configList = listOf('saved_configs', matching);

export const findConfig = findIn('saved_configs');

export const lockConfig = lockIn('saved_configs');

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

const secretsByConfig = shapedStatement<{ configIds: readonly string[] }, ConfigSecretRow>((db, { configIds }) =>
  db.selectFrom('saved_config_secrets').selectAll().where('config_id', 'in', configIds).orderBy('name'),
);

export const secretsOf = (queries: Queries, configIds: readonly string[]): Promise<ConfigSecretRow[]> =>
  secretsByConfig(queries, { configIds });

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
