import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Gives users a name, which the console shows. */
export const userNames = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table users add column name text').execute(db);
  },
});
