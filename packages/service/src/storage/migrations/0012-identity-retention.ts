import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds changed secrets of revisions, invites, paused webhooks, and indexes for retention. */
export const identityRetention = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table revisions add column changed_secrets text not null default '[]'`,

  `create table invites (
    id text primary key, account_id text not null references accounts (id), email text not null, role text not null,
    hash text not null unique, created_by text, created_at bigint not null, expires_at bigint not null,
    ended_at bigint, outcome text)`,
  `create index invites_of_account on invites (account_id, id)`,
  `create unique index invites_open on invites (account_id, email) where ended_at is null`,
  `create table password_resets (
    user_id text primary key references users (id) on delete cascade, hash text not null unique, created_by text,
    created_at bigint not null, expires_at bigint not null)`,

  `alter table webhook_endpoints add column old_secret text`,
  `alter table webhook_endpoints add column old_secret_until bigint`,
  `alter table webhook_endpoints add column failing_since bigint`,
  `alter table webhook_endpoints add column paused_because text`,

  `create index events_by_age on events (created_at)`,
  `create index deliveries_by_age on deliveries (created_at)`,
  `create index deployment_logs_by_age on deployment_logs (at)`,
  `create index executions_with_output on executions (finished_at) where output is not null`,
  `create index executions_by_status on executions (account_id, status, id)`,
  `create index executions_of_account on executions (account_id, id)`,
];
