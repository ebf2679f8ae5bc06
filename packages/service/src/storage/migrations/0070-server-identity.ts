import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the key pair of a server's daemon, and whether its server key was given to someone who may export data. For
 * existing servers the permissions of their registrants are unknown, so they count as trusted; rotating the key
 * resolves that.
 */
export const serverIdentity = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of [
      'identity_key text',
      'identity_pinned_at bigint',
      'identity_conflict text',
      'identity_conflict_at bigint',
      'key_trusted integer not null default 1',
    ])
      await sql.raw(`alter table servers add column ${column}`).execute(db);
  },
});
