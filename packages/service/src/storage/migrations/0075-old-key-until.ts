import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Null for earlier rotations: their old key stays valid until the new one is used, as documented at that time. */
export const oldKeyUntil = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table servers add column old_key_until bigint').execute(db);
  },
});
