import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a server is made of, as its daemon found it. */
export const fingerprint = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table servers add column fingerprint text`).execute(db);
  },
});
