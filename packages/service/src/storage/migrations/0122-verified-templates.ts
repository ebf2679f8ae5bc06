import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the stamp of templates that were run as a whole. */
export const verifiedTemplates = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of ['verified_at bigint', 'verified_digest text'])
      await sql.raw(`alter table templates add column ${column}`).execute(db);
  },
});
