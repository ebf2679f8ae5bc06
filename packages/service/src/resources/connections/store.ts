import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findIn, listOf, lockIn } from '../../storage/lists.ts';
import { type Slots, shapedStatement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type ConnectionRow = Row<'connections'>;
export type AttributeRow = Row<'connection_attributes'>;

export interface ConnectionFilter {
  readonly accountId: string;
  readonly class?: string | undefined;
}

const matching =
  (filter: Slots<ConnectionFilter>) =>
  (eb: ExpressionBuilder<Tables, 'connections'>): Expression<SqlBool> =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      ...(filter.class === undefined ? [] : [eb('class', '=', filter.class)]),
    ]);

export const connectionList = listOf('connections', matching);

export const findConnection = findIn('connections');

export const lockConnection = lockIn('connections');

export const findConnectionByName = (queries: Queries, accountId: string, name: string) =>
  queries.db
    .selectFrom('connections')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();

/** Returns the names of the given connections of an account, by id. */
export async function connectionNames(
  queries: Queries,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await queries.db
    .selectFrom('connections')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns false if the account already has a connection with that name. */
export async function insertConnection(tx: Tx, row: NewRow<'connections'>): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('connections')
    .values(row)
    .onConflict((clash) => clash.columns(['account_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export const renameConnection = async (tx: Tx, id: string, name: string): Promise<void> =>
  void (await tx.db.updateTable('connections').set({ name, updated_at: tx.now }).where('id', '=', id).execute());

/** Its attributes are deleted by cascade. */
export const deleteConnection = async (tx: Tx, id: string): Promise<void> =>
  void (await tx.db.deleteFrom('connections').where('id', '=', id).execute());

const attributesByConnection = shapedStatement<{ ids: readonly string[] }, AttributeRow>((db, { ids }) =>
  db.selectFrom('connection_attributes').selectAll().where('connection_id', 'in', ids).orderBy('name'),
);

export const attributesOf = (queries: Queries, ids: readonly string[]): Promise<AttributeRow[]> =>
  attributesByConnection(queries, { ids });

export const writeAttribute = async (tx: Tx, row: AttributeRow): Promise<void> =>
  void (await tx.db
    .insertInto('connection_attributes')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['connection_id', 'name']).doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        ciphertext: eb.ref('excluded.ciphertext'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .execute());

export const removeAttribute = async (tx: Tx, id: string, name: string): Promise<void> =>
  void (await tx.db
    .deleteFrom('connection_attributes')
    .where('connection_id', '=', id)
    .where('name', '=', name)
    .execute());
