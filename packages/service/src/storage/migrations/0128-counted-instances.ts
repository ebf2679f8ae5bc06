import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds an index that contains all that counts of instances read, so that they read no rows. */
export const countedInstances = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create index instances_counted on instances (account_id, status, health, definition_id)`)
      .execute(db);
  },
});
