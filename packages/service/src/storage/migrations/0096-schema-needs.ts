import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keeps in one row which migration a program must know at least, so that an older one refuses a schema it cannot use. */
export const schemaNeeds = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('create table schema_needs (migration text not null)').execute(db);
    await sql.raw(`insert into schema_needs (migration) values ('0096-schema-needs')`).execute(db);
  },
});
