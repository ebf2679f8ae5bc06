import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the fingerprint of a server, as reported by its daemon. */
export const fingerprint = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table servers add column fingerprint text`).execute(db);
  },
});
