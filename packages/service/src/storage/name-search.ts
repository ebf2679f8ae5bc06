import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { EXACT_UP_TO } from './page.ts';
import { statement } from './statement.ts';
import { inBackground, type Queries, type Tx } from './storage.ts';

/** Filter of lists that are searched by the names of definitions. */
export interface NameFilter {
  /** Part of the name or the instance_uid; for statements a pattern of `like`, which decides. */
  readonly q?: string | undefined;
  /** For statements: an expression for the index of SQLite if it finds few names. PostgreSQL chooses an index by itself. */
  readonly match?: string | undefined;
}

/** With more, a list that is read in its order soon meets enough of them for a page, and for the limit of exact totals. */
const FEW = EXACT_UP_TO;

const matched = statement<{ match: string; max: number }, { total: number }>((db, { match, max }) =>
  db
    .selectFrom(sql`(select rowid from definition_names where definition_names match ${match} limit ${max})`.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total')),
);

/** Prepares the filter of a search. It runs in the background, because it may read many names. */
export async function preparedSearch<Filter extends NameFilter>(
  queries: Queries,
  filter: Filter,
): Promise<{ readonly queries: Queries; readonly filter: Filter }> {
  const { q } = filter;
  if (q === undefined) return { queries, filter };
  const reader = inBackground(queries);
  const match = queries.engine === 'sqlite' ? matchOf(q.toLowerCase()) : undefined;
  const isFew = match !== undefined && ((await matched(reader, { match, max: FEW + 1 }))[0]?.total ?? 0) <= FEW;
  return { queries: reader, filter: { ...filter, q: patternOf(q), match: isFew ? match : undefined } };
}

const patternOf = (text: string): string => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Requires every part of three letters; undefined for shorter texts. */
function matchOf(text: string): string | undefined {
  const letters = [...text];
  const parts = letters.slice(2).map((_, i) => quoted(letters.slice(i, i + 3).join('')));
  return parts.length === 0 ? undefined : parts.join(' AND ');
}

const quoted = (part: string): string => `"${part.replaceAll('"', '""')}"`;

/** Tests the name and instance_uid of a definition, in any case. SQLite knows the cases of ASCII letters only. */
export const hasName = (definitions: string, pattern: Expression<string>): RawBuilder<SqlBool> =>
  sql`lower(${namesOf(definitions)}) like ${pattern} escape '\\'`;

/** Both names as one text, which is what the indexes contain. No name and no search has a line break. */
const namesOf = (definitions: string): RawBuilder<string> =>
  sql`${sql.ref(`${definitions}.name`)} || ${sql.lit('\n')} || ${sql.ref(`${definitions}.instance_uid`)}`;

/** Selects the ids of the definitions that the index finds, and of those that it does not contain yet. */
export const found = (match: Expression<string>): RawBuilder<string> =>
  sql`(select definition_id from definition_names where definition_names match ${match}
    union all select definition_id from unindexed_names)`;

/** Adds names to the index of SQLite and returns their number. */
export async function indexNames(tx: Tx, max: number): Promise<number> {
  const first = sql`(select definition_id from unindexed_names order by definition_id limit ${max})`;
  await sql`insert into definition_names (text, definition_id)
    select ${namesOf('definitions')}, id from definitions where id in ${first}`.execute(tx.db);
  const { numAffectedRows } = await sql`delete from unindexed_names where definition_id in ${first}`.execute(tx.db);
  return Number(numAffectedRows);
}
