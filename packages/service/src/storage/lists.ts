import type { Expression, ExpressionBuilder, Kysely, SelectQueryBuilder, SqlBool } from 'kysely';
import { forUpdate } from './locking.ts';
import { EXACT_UP_TO, type Listing } from './page.ts';
import { type Slots, shapedStatement, statement } from './statement.ts';
import { inBackground, type Queries, type Tx } from './storage.ts';
import type { Row, Tables } from './tables.ts';

/** Tables of records that have an id and belong to an account. */
type Owned = {
  [Table in keyof Tables]: Row<Table> extends { id: string; account_id: string } ? Table : never;
}[keyof Tables];

/** Stands for all of them: they share the columns that are named here. */
type Any = 'tenants';

/** Limit and offset of a page. */
interface Part {
  readonly limit: number;
  readonly offset: number;
}

// biome-ignore lint/suspicious/noExplicitAny: any tables may be joined
type Selected<Item> = SelectQueryBuilder<any, any, Item>;

type PageQuery<Filter, Item, Deciding extends keyof Filter> = (
  db: Kysely<Tables>,
  filter: Slots<Filter, Deciding>,
  part: Slots<Part>,
) => Selected<Item>;

/** Queries of a list. Fields of the filter are placeholders except those in `decidedBy`; see `shapedStatement`. */
export interface ListQueries<Filter, Item, Deciding extends keyof Filter = never> {
  /** Selects a page, in order. */
  readonly page: PageQuery<Filter, Item, Deciding>;
  /** Selects a page after many rows, if there is a faster way than skipping them with all their columns. */
  readonly deepPage?: PageQuery<Filter, Item, Deciding>;
  /** Selects one column of all matching records, to count them. */
  readonly all: (db: Kysely<Tables>, filter: Slots<Filter, Deciding>) => Selected<object>;
  readonly decidedBy?: readonly Deciding[];
  /** Returns what the statements get, and where they run. */
  readonly prepare?: (queries: Queries, filter: Filter) => Promise<Prepared<Filter>>;
}

interface Prepared<Filter> {
  readonly queries: Queries;
  readonly filter: Filter;
}

/** Pages from here on are read in the background: the rows before them are read, too. */
const DEEP = 1_000;

/**
 * Defines a list whose statements are compiled once for each combination of filters. A page and the count of its list are read in
 * one round trip. Lists with the same name and filter share a count.
 */
export function list<Filter extends object, Item, const Deciding extends keyof Filter & string = never>(
  name: string,
  {
    page,
    deepPage,
    all,
    decidedBy = [],
    prepare = async (queries, filter) => ({ queries, filter }),
  }: ListQueries<Filter, Item, Deciding>,
): (queries: Queries, filter: Filter) => Listing<Item> {
  type OfPage = Filter & Part;
  type OfCount = Filter & { readonly max: number };
  const deciding = decidedBy as readonly never[];
  const counted = (db: Kysely<Tables>, slots: object) => {
    const { max } = slots as Slots<{ max: number }>;
    return db
      .selectFrom(
        all(db, slots as never)
          .limit(max)
          .as('some'),
      )
      .select((eb) => eb.fn.countAll<number>().as('list_total'));
  };
  const statementsOf = (of: typeof page) => ({
    alone: shapedStatement<OfPage, Item, never>((db, slots) => of(db, slots as never, slots as never), deciding),
    counted: shapedStatement<OfPage & OfCount, Item & Total, never>(
      (db, slots) =>
        of(db, slots as never, slots as never).select(() => [counted(db, slots).as('list_total')]) as never,
      deciding,
    ),
  });
  const near = statementsOf(page);
  const deep = deepPage ? statementsOf(deepPage) : near;
  const at = (offset: number, queries: Queries) =>
    offset < DEEP ? { place: queries, read: near } : { place: inBackground(queries), read: deep };
  const countAlone = shapedStatement<OfCount, Total, never>((db, slots) => counted(db, slots), deciding);
  return (queries, filter) => ({
    async rows(limit, offset) {
      const { place, read } = at(offset, queries);
      const prepared = await prepare(place, filter);
      return read.alone(prepared.queries, { ...prepared.filter, limit, offset });
    },
    async rowsAndCount(limit, offset, max) {
      const { place, read } = at(offset, queries);
      const prepared = await prepare(place, filter);
      const rows = await read.counted(prepared.queries, { ...prepared.filter, limit, offset, max });
      return { rows, count: rows[0]?.list_total };
    },
    async count(max) {
      const prepared = await prepare(max > EXACT_UP_TO + 1 ? inBackground(queries) : queries, filter);
      return (await countAlone(prepared.queries, { ...prepared.filter, max }))[0]?.list_total ?? 0;
    },
    countKey: countKey(name, filter),
  });
}

/** Lists with the same filter share a count. */
export const countKey = (list: string, filter: object): string => `${list} ${JSON.stringify(filter)}`;

interface Total {
  readonly list_total: number;
}

/** Lists the records of a table that match a filter, newest first. */
export const listOf = <
  Table extends Owned,
  Filter extends object,
  const Deciding extends keyof Filter & string = never,
>(
  table: Table,
  matching: (filter: Slots<Filter, Deciding>) => (eb: ExpressionBuilder<Tables, Table>) => Expression<SqlBool>,
  decidedBy?: readonly Deciding[],
): ((queries: Queries, filter: Filter) => Listing<Row<Table>>) =>
  list<Filter, Row<Table>, Deciding>(table, {
    page: (db, filter, { limit, offset }) =>
      db
        .selectFrom(table as Any)
        .selectAll()
        .where(matching(filter) as never)
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset) as never,
    all: (db, filter) =>
      db
        .selectFrom(table as Any)
        .select('id')
        .where(matching(filter) as never),
    ...(decidedBy && { decidedBy }),
  });

/** Selects every record of an account, for lists without filters. */
export const ofAccount =
  ({ accountId }: Slots<{ readonly accountId: string }>) =>
  // biome-ignore lint/suspicious/noExplicitAny: all tables of `Owned` have the column
  (eb: ExpressionBuilder<Tables, any>): Expression<SqlBool> =>
    eb('account_id', '=', accountId);

interface OfAccount {
  readonly accountId: string;
  readonly id: string;
}

const byId = (db: Kysely<Tables>, table: Owned, { accountId, id }: OfAccount) =>
  db
    .selectFrom(table as Any)
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId);

/** Finds a record of an account by its id. */
export const findIn = <Table extends Owned>(table: Table) => {
  const found = statement<OfAccount, Row<Table>>((db, p) => byId(db, table, p) as never);
  return async (queries: Queries, accountId: string, id: string): Promise<Row<Table> | undefined> =>
    (await found(queries, { accountId, id }))[0];
};

/** The same, and holds the record until the transaction ends. */
export const lockIn = <Table extends Owned>(table: Table) => {
  const held = statement<OfAccount, Row<Table>>((db, p, engine) => forUpdate({ engine }, byId(db, table, p)) as never);
  return async (tx: Tx, accountId: string, id: string): Promise<Row<Table> | undefined> =>
    (await held(tx, { accountId, id }))[0];
};

/** Locks a record without asking for its account, for jobs. */
export const lockById = <Table extends Owned>(table: Table) => {
  const held = statement<{ readonly id: string }, Row<Table>>(
    (db, p, engine) =>
      forUpdate(
        { engine },
        db
          .selectFrom(table as Any)
          .selectAll()
          .where('id', '=', p.id),
      ) as never,
  );
  return async (tx: Tx, id: string): Promise<Row<Table> | undefined> => (await held(tx, { id }))[0];
};
