import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Imports that began before nobody can tell of: what they have brought stays. */
export const broughtTemplates = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table imports add column brought_template integer not null default 0').execute(db);
  },
});
