import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the hash of the page token, the second half of a session. Sessions without one end, because their cookie alone was
 * enough, and an application on another port of the host may have received it: their users sign in again. The column may be
 * null, because a replica of the previous version writes rows without it during an update; those are not accepted either.
 */
export const sessionsOfTwoHalves = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table sessions add column page_hash text').execute(db);
    await sql`update sessions set ended_at = ${Date.now()} where ended_at is null`.execute(db);
  },
});
