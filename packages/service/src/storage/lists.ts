import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { countUpTo } from './count-up-to.ts';
import { forUpdate } from './locking.ts';
import type { Listing } from './page.ts';
import type { Queries, Tx } from './storage.ts';
import type { Row, Tables } from './tables.ts';

/** Tables of records that have an id and belong to an account. */
type Owned = {
  [Table in keyof Tables]: Row<Table> extends { id: string; account_id: string } ? Table : never;
}[keyof Tables];

/** Stands for all of them: they share the columns that are named here. */
type Any = 'tenants';

/** Lists the records of a table that match a filter, newest first. The key of their count follows from the filter. */
export const listOf =
  <Table extends Owned, Filter extends object>(
    table: Table,
    matching: (filter: Filter) => (eb: ExpressionBuilder<Tables, Table>) => Expression<SqlBool>,
  ) =>
  (queries: Queries, filter: Filter): Listing<Row<Table>> => {
    const found = () => queries.db.selectFrom(table as Any).where(matching(filter) as never);
    return {
      rows: async (limit, offset) =>
        (await found().selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()) as never,
      count: (atMost) => countUpTo(queries, found().select('id'), atMost),
      countKey: countKey(table, filter),
    };
  };

/** Lists with the same filter share a count. */
export const countKey = (list: string, filter: object): string => `${list} ${JSON.stringify(filter)}`;

const ofAccount = (queries: Queries, table: Owned, accountId: string, id: string) =>
  queries.db
    .selectFrom(table as Any)
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId);

/** Finds a record of an account by its id. */
export const findIn =
  <Table extends Owned>(table: Table) =>
  async (queries: Queries, accountId: string, id: string): Promise<Row<Table> | undefined> =>
    (await ofAccount(queries, table, accountId, id).executeTakeFirst()) as Row<Table> | undefined;

/** The same, and holds the record until the transaction ends. */
export const lockIn =
  <Table extends Owned>(table: Table) =>
  async (tx: Tx, accountId: string, id: string): Promise<Row<Table> | undefined> =>
    (await forUpdate(tx, ofAccount(tx, table, accountId, id)).executeTakeFirst()) as Row<Table> | undefined;
