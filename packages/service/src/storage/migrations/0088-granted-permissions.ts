import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores the permissions that an owner has granted to a member beyond those of the role. */
export const grantedPermissions = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table users add column granted text not null default '[]'`).execute(db);
  },
});
