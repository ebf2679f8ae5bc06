import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

/** Pattern for `anyContains` of a text. */
export const containing = (text: string): string => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Tests whether one of the columns contains a text, in any case. SQLite knows the cases of ASCII letters only. */
export function anyContains(columns: readonly string[], pattern: Expression<string>): RawBuilder<SqlBool> {
  const tests = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}
