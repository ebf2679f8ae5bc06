import type { InstanceSort } from '@hortus/contract/records/instance-sorts';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { countUpTo } from '../../../storage/count-up-to.ts';
import { list } from '../../../storage/lists.ts';
import { found, hasName, type NameFilter, preparedSearch } from '../../../storage/name-search.ts';
import { type Slots, statement } from '../../../storage/statement.ts';
import type { Queries } from '../../../storage/storage.ts';
import type { Row, Tables } from '../../../storage/tables.ts';

/** An instance with its names, and the template and profile of the running revision or, before that, the first one. */
export interface NamedRow extends Row<'instances'> {
  readonly name: string;
  readonly instance_uid: string;
  readonly template_id: string;
  readonly profile: string;
  readonly tenant_id: string | null;
}

/** Instances of an account; for a daemon, those of its own server. */
export interface Scope {
  readonly accountId: string;
  readonly serverId?: string | undefined;
}

export interface InstanceFilter extends Scope, NameFilter {
  readonly definitionId?: string | undefined;
  readonly status?: Row<'instances'>['status'] | undefined;
  readonly health?: Row<'instances'>['health'] | undefined;
  readonly sort?: InstanceSort | undefined;
}

type Filtered = Slots<InstanceFilter, 'sort'>;

export type Builder = ExpressionBuilder<Tables, 'instances'>;

export const inScope = (eb: Builder, scope: Scope | Slots<Scope>): Expression<SqlBool>[] => [
  eb('instances.account_id', '=', scope.accountId),
  ...(scope.serverId === undefined ? [] : [eb('instances.server_id', '=', scope.serverId)]),
];

/** The same for a few instances: with an index of the scope, SQLite would read all of them in order and test each. */
const inScopeOfFew = ({ accountId, serverId }: Slots<Scope>): Expression<SqlBool>[] => [
  sql`+instances.account_id = ${accountId}`,
  ...(serverId === undefined ? [] : [sql<SqlBool>`+instances.server_id = ${serverId}`]),
];

/** Excludes instances of deploy tests. */
const withoutTests = (eb: Builder, accountId: string | Expression<string>): Expression<SqlBool> =>
  eb(
    'instances.definition_id',
    'not in',
    eb
      .selectFrom('definitions')
      .select('definitions.id')
      .where('definitions.account_id', '=', accountId)
      .where('definitions.test_id', 'is not', null),
  );

/** Selects by a part of the name or instance_uid, those that the index of names finds if it finds few. */
const withName = (eb: Builder, { q, match }: Pick<Filtered, 'q' | 'match'>): Expression<SqlBool>[] => [
  ...(match === undefined ? [] : [eb('instances.definition_id', 'in', found(match))]),
  ...(q === undefined
    ? []
    : [
        eb.exists(
          eb
            .selectFrom('definitions as searched')
            .select(sql.lit(1).as('one'))
            .whereRef('searched.id', '=', 'instances.definition_id')
            .where(hasName('searched', q)),
        ),
      ]),
];

/** Released instances and those of deploy tests are listed only if asked for. */
const matching = (filter: Filtered) => (eb: Builder) =>
  eb.and([
    ...(filter.match === undefined ? inScope(eb, filter) : inScopeOfFew(filter)),
    filter.definitionId === undefined
      ? withoutTests(eb, filter.accountId)
      : eb('instances.definition_id', '=', filter.definitionId),
    filter.status === undefined
      ? eb('instances.status', '<>', sql.lit('released' as const))
      : eb('instances.status', '=', filter.status),
    ...(filter.health === undefined ? [] : [eb('instances.health', '=', filter.health)]),
    ...withName(eb, filter),
  ]);

/** Those that need attention first, then those that change, then those that run. An index has the same expression. */
const urgency = sql<number>`case
  when instances.status in ('failed', 'lost') then 0
  when instances.health = 'unhealthy' and instances.status = 'running' then 1
  when instances.status in ('pending', 'starting', 'restarting') or instances.health = 'starting' then 2
  when instances.status = 'running' then 3
  else 4 end`;

/** Each order ends with the id and has an index (0094-sorted-instances). */
const orders = {
  name: [sql`lower(definitions.name)`, sql`lower(definitions.instance_uid)`, sql`definitions.id`, sql`instances.id`],
  status: [urgency, sql`instances.id`],
  started_at: [sql`coalesce(instances.started_at, 9007199254740991)`, sql`instances.id`],
} as const;

const orderOf = (sort: InstanceSort | undefined) => {
  if (sort === undefined) return sql`instances.id desc`;
  const direction = sort.startsWith('-') ? sql`desc` : sql`asc`;
  const expressions = orders[sort.replace('-', '') as keyof typeof orders];
  return sql.join(expressions.map((expression) => sql`${expression} ${direction}`));
};

/** Selects instances with their names. */
export const named = (db: Queries['db']) =>
  db
    .selectFrom('instances')
    .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.definition_id', '=', 'definitions.id')
        .on('revisions.number', '=', (eb) => eb.fn.coalesce('instances.revision', 'definitions.current_revision')),
    )
    .selectAll('instances')
    .select(['definitions.name', 'definitions.instance_uid', 'definitions.tenant_id'])
    .select(['revisions.template_id', 'revisions.profile']);

/** Orders and skips ids alone and reads only the rows of the page, because a row is wide and needs two joins. */
export const instancesOf = list<InstanceFilter, NamedRow, 'sort'>('instances', {
  page: (db, filter, { limit, offset }) => {
    const { sort, accountId, match } = filter;
    const ids = db
      .selectFrom('instances')
      .$if(
        sort === 'name' || sort === '-name',
        (query) =>
          query
            .innerJoin('definitions', 'definitions.id', 'instances.definition_id')
            .$if(match === undefined, (all) => all.where('definitions.account_id', '=', accountId)) as never,
      )
      .select('instances.id')
      .where(matching(filter))
      .orderBy(orderOf(sort))
      .limit(limit)
      .offset(offset);
    return named(db).where('instances.id', 'in', ids).orderBy(orderOf(sort));
  },
  // The column is in the index that has all the others.
  all: (db, filter) => db.selectFrom('instances').select('definition_id').where(matching(filter)),
  decidedBy: ['sort'],
  prepare: preparedSearch,
});

/** Counts the instances of an account, released ones included, up to a limit. */
export const countInstances = (queries: Queries, accountId: string, atMost: number): Promise<number> =>
  countUpTo(queries, queries.db.selectFrom('instances').select('id').where('account_id', '=', accountId), atMost);

type StateCount = Pick<Row<'instances'>, 'status' | 'health'> & { readonly total: number };

const states = statement<{ accountId: string }, StateCount>((db, p) =>
  db
    .selectFrom('instances')
    .select(['status', 'health'])
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('account_id', '=', p.accountId)
    .where((eb) => withoutTests(eb, p.accountId))
    .groupBy(['status', 'health']),
);

export const countByState = (queries: Queries, accountId: string): Promise<StateCount[]> =>
  states(queries, { accountId });
