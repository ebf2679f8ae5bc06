import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the last errors of daemons, one row for each daemon. */
export const serverDiagnostics = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(
        `create table server_diagnostics (
          server_id text not null references servers (id), member_id text not null,
          report text not null, reported_at bigint not null, primary key (server_id, member_id))`,
      )
      .execute(db);
  },
});
