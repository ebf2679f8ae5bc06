import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the claims of deployments, the connections of servers, and the progress of logs. */
export const claims = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table deployments add column claimed_by text`,
  `alter table deployments add column log_source text`,
  `alter table deployments add column log_told integer not null default 0`,
  `alter table servers add column daemon_journal text`,
];
