import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds migrations between servers, and transfers of their volumes. */
export const migrations = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table migrations (
    id text primary key, account_id text not null references accounts (id), tenant_id text references tenants (id),
    from_server_id text not null references servers (id), to_server_id text not null references servers (id),
    status text not null, reason text, error text, stopped_at bigint, downtime_ms bigint, progress_at bigint not null,
    switched_at bigint, release_at bigint, created_by text, created_at bigint not null, updated_at bigint not null,
    finished_at bigint)`,
  `create index migrations_of_account on migrations (account_id, id)`,
  `create index migrations_by_status on migrations (account_id, status, id)`,
  `create index migrations_of_tenant on migrations (tenant_id, id)`,
  `create table migration_parts (
    migration_id text not null references migrations (id), definition_id text not null references definitions (id),
    instance_id text references instances (id), revision integer, deployment_id text references deployments (id),
    arrival text, clear_id text references executions (id), open integer not null, primary key (migration_id, definition_id))`,
  `create unique index migration_parts_open on migration_parts (definition_id) where open = 1`,
  `create index migration_parts_of_deployment on migration_parts (deployment_id)`,
  `create table migration_log (
    migration_id text not null references migrations (id), number integer not null, at bigint not null,
    step text not null, message text not null, primary key (migration_id, number))`,
  `create table transfers (
    id text primary key, account_id text not null references accounts (id),
    migration_id text not null references migrations (id), definition_id text not null references definitions (id),
    instance_uid text not null, storage text not null, volume text not null, mode text not null,
    from_server_id text not null references servers (id), to_server_id text not null references servers (id),
    status text not null, chunks bigint not null, bytes bigint not null, carried_bytes bigint not null, sha256 text,
    error text, meeting_url text, created_at bigint not null, updated_at bigint not null, started_at bigint,
    finished_at bigint)`,
  `create index transfers_of_migration on transfers (migration_id, id)`,
  `create index transfers_of_account on transfers (account_id, id)`,
  `create index transfers_from on transfers (from_server_id, id) where status in ('pending', 'running')`,
  `create index transfers_to on transfers (to_server_id, id) where status in ('pending', 'running')`,
];
