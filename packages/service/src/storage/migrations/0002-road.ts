import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds deployments, instances, executions, and the facts that servers report. */
export const road = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table servers add column connected_replica text`,
  `alter table servers add column duplicate_at bigint`,
  `alter table servers add column capabilities text not null default '[]'`,
  `alter table servers add column daemon_version text`,
  `alter table servers add column daemon_platform text not null default '{}'`,
  `alter table servers add column polled_at bigint`,
  `alter table servers add column next_key_sealed text`,
  `create index servers_connected on servers (connected_replica) where connected_replica is not null`,
  `create table replicas (id text primary key, seen_at bigint not null)`,

  `create table deployments (
    id text primary key, account_id text not null references accounts (id),
    definition_id text not null references definitions (id), server_id text not null references servers (id),
    instance_id text, status text not null, kind text not null, rollback_of text, revision integer not null,
    template_id text not null, spec_hash text not null, reason text, error text, cancel_requested_at bigint,
    progress_at bigint, log_lines integer not null, created_by text, created_at bigint not null,
    updated_at bigint not null, started_at bigint, finished_at bigint)`,
  `create index deployments_of_account on deployments (account_id, id)`,
  `create index deployments_by_status on deployments (account_id, status, id)`,
  `create index deployments_of_definition on deployments (definition_id, id)`,
  `create index deployments_of_server on deployments (server_id, id)`,
  `create index deployments_of_instance on deployments (instance_id, id) where instance_id is not null`,
  `create index deployments_unfinished on deployments (server_id, id) where status in ('pending', 'running')`,
  `create index deployments_queued on deployments (definition_id, id) where status in ('pending', 'running')`,
  `create table deployment_logs (
    deployment_id text not null references deployments (id) on delete cascade, number integer not null,
    at bigint not null, level text not null, step text, message text not null, primary key (deployment_id, number))`,

  `create table instances (
    id text primary key, account_id text not null references accounts (id),
    definition_id text not null references definitions (id), server_id text not null references servers (id),
    container_id text, container_name text not null, status text not null, health text not null, revision integer,
    url text, components text not null, started_at bigint, last_reported_at bigint,
    created_at bigint not null, updated_at bigint not null)`,
  `create unique index instances_living on instances (definition_id) where status <> 'released'`,
  `create index instances_of_account on instances (account_id, id)`,
  `create index instances_by_status on instances (account_id, status, id)`,
  `create index instances_of_server on instances (server_id, id)`,

  `create table executions (
    id text primary key, account_id text not null references accounts (id),
    instance_id text not null references instances (id), server_id text not null references servers (id),
    slug text not null, name text not null, status text not null, request text not null, params text not null,
    exit_code integer, output text, output_truncated integer not null, error text, outcome text,
    timeout_ms bigint not null, deadline_at bigint not null, paused_at bigint, sent_epoch bigint, sent_journal text,
    cancel_requested_at bigint, created_by text, created_at bigint not null,
    updated_at bigint not null, sent_at bigint, started_at bigint, finished_at bigint)`,
  `create index executions_of_instance on executions (instance_id, id)`,
  `create index executions_unfinished on executions (server_id, id) where status in ('pending', 'sent', 'running')`,

  `create table server_capacity (
    server_id text primary key references servers (id) on delete cascade, memory_used bigint not null,
    memory_free bigint not null, cpu_cores double precision not null, cpu_used_percent double precision not null,
    disk_used bigint not null, disk_free bigint not null, reported_at bigint not null)`,
];
