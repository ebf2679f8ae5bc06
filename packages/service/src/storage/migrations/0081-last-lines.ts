import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keeps the last lines of a container that made its deployment fail. */
export const lastLines = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table deployments add column last_lines text').execute(db);
  },
});
