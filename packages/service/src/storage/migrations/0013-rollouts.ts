import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds results of rollouts, watch periods, and claims of routes. */
export const rollouts = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table deployments add column gap_ms bigint`,
  `alter table definitions add column watch_seconds integer not null default 60`,
  `create table route_claims (
    server_id text not null references servers (id), host text not null, path text not null,
    definition_id text not null references definitions (id), revisions text not null,
    primary key (server_id, host, path))`,
];
