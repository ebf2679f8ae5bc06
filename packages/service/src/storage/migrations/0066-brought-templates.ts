import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Records whether an import created its template; imports from before this migration keep theirs. */
export const broughtTemplates = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table imports add column brought_template integer not null default 0').execute(db);
  },
});
