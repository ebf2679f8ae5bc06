import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds evacuations of servers. */
export const evacuations = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table evacuations (
    id text primary key, account_id text not null references accounts (id), server_id text not null,
    status text not null, at_once integer not null, placement text, created_by text,
    created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create index evacuations_of_server on evacuations (server_id, id)`,
  `create index evacuations_by_age on evacuations (created_at)`,
  // A server has one evacuation at a time.
  `create unique index evacuations_open on evacuations (server_id) where finished_at is null`,
  `create table evacuation_moves (
    id text primary key, evacuation_id text not null references evacuations (id) on delete cascade,
    account_id text not null, number integer not null, definition_id text, tenant_id text, name text not null,
    status text not null, to_server_id text, reason text, migration_id text, error text, downtime_ms bigint,
    created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create unique index evacuation_moves_of_evacuation on evacuation_moves (evacuation_id, number)`,
  `create index evacuation_moves_of_migration on evacuation_moves (migration_id) where finished_at is null`,
];
