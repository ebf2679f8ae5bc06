import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { EngineName } from '../session.ts';

/** Creates the tables of `tables.ts`, with an index for the filter and order of every list. */
export const foundation = (engine: EngineName): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(engine)) await sql.raw(statement).execute(db);
  },
});

const statements = (engine: EngineName): string[] => {
  const identity =
    engine === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key';
  return [
    `create table settings (name text primary key, value text not null)`,

    `create table accounts (id text primary key, name text not null, plan text not null, created_at bigint not null)`,
    `create table users (
      id text primary key, account_id text not null references accounts (id), email text not null unique,
      password_hash text not null, role text not null, admin integer not null,
      created_at bigint not null, updated_at bigint not null)`,
    `create index users_of_account on users (account_id, id)`,
    `create table sessions (
      id text primary key, hash text not null unique, user_id text not null references users (id) on delete cascade,
      account_id text not null, created_at bigint not null, expires_at bigint not null)`,
    `create index sessions_of_user on sessions (user_id)`,
    `create index sessions_by_expiry on sessions (expires_at)`,
    `create table api_keys (
      id text primary key, account_id text not null references accounts (id), hash text not null unique,
      prefix text not null, name text not null, permissions text not null, allowed_cidrs text not null,
      expires_at bigint, last_used_at bigint, created_by text, created_at bigint not null, revoked_at bigint)`,
    `create index api_keys_of_account on api_keys (account_id, id)`,
    `create table rate_windows (
      subject text not null, window_start bigint not null, count bigint not null, primary key (subject, window_start))`,
    `create table idempotency (
      account_id text not null, method text not null, path text not null, key text not null, body_hmac text not null,
      status integer not null, response text not null, created_at bigint not null,
      primary key (account_id, method, path, key))`,
    `create index idempotency_by_age on idempotency (created_at)`,
    `create table data_keys (
      account_id text primary key, wrapped text not null, master text not null,
      created_at bigint not null, updated_at bigint not null)`,

    `create table events (
      position ${identity}, seq bigint, id text not null unique, account_id text not null, type text not null,
      resource_type text not null, resource_id text not null, actor text, data text not null, created_at bigint not null)`,
    `create index events_unsequenced on events (position) where seq is null`,
    `create index events_of_account on events (account_id, seq) where seq is not null`,
    `create index events_by_type on events (account_id, type, seq) where seq is not null`,
    `create index events_of_resource on events (account_id, resource_id, seq) where seq is not null`,
    `create table jobs (
      id text primary key, kind text not null, key text, payload text not null, run_at bigint not null,
      attempts integer not null, lease_owner text, again_at bigint, last_error text, dead integer not null,
      created_at bigint not null)`,
    `create unique index jobs_by_key on jobs (kind, key) where key is not null and dead = 0`,
    `create index jobs_due on jobs (kind, run_at) where dead = 0`,

    `create table templates (
      id text primary key, owner text not null, species text not null, version text not null, name text not null,
      description text not null, archetype text not null, kingdom text not null, family text not null,
      app_version text not null, spec text not null, spec_hash text not null, status text not null,
      deprecated integer not null, featured integer not null, created_at bigint not null, updated_at bigint not null,
      unique (owner, species, version))`,

    `create table servers (
      id text primary key, account_id text not null references accounts (id), name text not null,
      environment text not null, description text, status text not null, key_hash text not null unique,
      next_key_hash text unique, registered_by text, connection_epoch bigint not null, last_seen_at bigint,
      deleted_at bigint,
      created_at bigint not null, updated_at bigint not null)`,
    `create index servers_of_account on servers (account_id, id)`,
    `create index servers_of_user on servers (account_id, registered_by, id)`,

    `create table definitions (
      id text primary key, account_id text not null references accounts (id), name text not null,
      instance_uid text not null, template_id text not null references templates (id),
      server_id text not null references servers (id), status text not null, current_revision integer not null,
      last_revision integer not null, container_name text not null, succeeded_at bigint,
      created_at bigint not null, updated_at bigint not null, unique (account_id, instance_uid))`,
    `create index definitions_of_account on definitions (account_id, id)`,
    `create index definitions_by_status on definitions (account_id, status, id)`,
    `create index definitions_of_server on definitions (server_id, id)`,
    `create table revisions (
      definition_id text not null references definitions (id), number integer not null, template_id text not null,
      spec_hash text not null, profile text not null, variant text, inputs text not null, secret_inputs text not null,
      created_by text, created_at bigint not null, primary key (definition_id, number))`,
    `create table definition_secrets (
      definition_id text not null references definitions (id), name text not null, kind text not null, generator text,
      ciphertext text, created_at bigint not null, updated_at bigint not null, primary key (definition_id, name))`,

    `create table webhook_endpoints (
      id text primary key, account_id text not null references accounts (id), url text not null, events text not null,
      secret text not null, status text not null, created_at bigint not null, updated_at bigint not null)`,
    `create index webhook_endpoints_of_account on webhook_endpoints (account_id, id)`,
    `create table deliveries (
      id text primary key, account_id text not null,
      endpoint_id text not null references webhook_endpoints (id) on delete cascade,
      event_id text not null, event_type text not null, seq bigint not null, status text not null,
      attempts integer not null, response_code integer, error text, duration_ms bigint, next_attempt_at bigint,
      delivered_at bigint, created_at bigint not null, unique (endpoint_id, event_id))`,
    `create index deliveries_of_endpoint on deliveries (endpoint_id, id)`,
    `create index deliveries_by_status on deliveries (endpoint_id, status, id)`,
    `create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where status = 'pending'`,
  ];
};
