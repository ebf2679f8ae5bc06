import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Tests whether one of the columns contains a text, in any case. SQLite knows the cases of ASCII letters only. */
export function anyContains(columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const tests = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}
