import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the epoch in which the leading member of a cluster followed another one. */
export const leaderSince = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table servers add column leader_since bigint').execute(db);
  },
});
