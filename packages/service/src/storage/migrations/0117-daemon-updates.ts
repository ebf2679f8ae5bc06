import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds labels of servers and updates of daemons. */
export const daemonUpdates = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table servers add column labels text`,
  `create table daemon_updates (
    id text primary key, account_id text not null references accounts (id), version text not null, releases text not null,
    status text not null, error text, stage integer not null, stage_begun_at bigint not null, stages text not null,
    max_failed integer not null, allow_downgrade integer not null, offline_ms bigint not null, left_out text not null,
    created_by text, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create index daemon_updates_of_account on daemon_updates (account_id, id)`,
  `create index daemon_updates_by_age on daemon_updates (created_at)`,
  `create table daemon_update_targets (
    id text primary key, update_id text not null references daemon_updates (id) on delete cascade,
    account_id text not null, server_id text not null, server_name text not null, environment text not null,
    platform text not null, place integer not null, stage integer not null, status text not null,
    accepted integer not null, from_version text, reason text, error text, sent_epoch bigint, heard_at bigint not null,
    ordered_at bigint, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create unique index daemon_update_targets_of_update on daemon_update_targets (update_id, place)`,
  // A server is part of one update at a time.
  `create unique index daemon_update_targets_open on daemon_update_targets (server_id) where finished_at is null`,
];
