/** Instances and what happens to them: executions, backups, upgrades, rehearsals, shells, confirmations. */
export const instances = [
  `create table instances (
    id text primary key, account_id text not null references accounts (id),
    definition_id text not null references definitions (id), server_id text not null references servers (id),
    container_id text, container_name text not null, status text not null, health text not null, revision integer,
    url text, components text not null, started_at bigint, last_reported_at bigint, created_at bigint not null,
    updated_at bigint not null, drift text not null default '[]', drifted_at bigint,
    heals integer not null default 0, healed_at bigint, starts text not null default '[]', restarted_at bigint)`,
  `create unique index instances_living on instances (definition_id) where status <> 'released'`,
  `create index instances_of_account on instances (account_id, id)`,
  `create index instances_by_status on instances (account_id, status, id)`,
  `create index instances_of_server on instances (server_id, id)`,
  // Read by the rules of notifications; both hold only the rows in question.
  `create index instances_troubled on instances (id) where health = 'unhealthy' or status in ('failed', 'restarting')`,
  `create index instances_restarted on instances (restarted_at) where restarted_at is not null`,
  // Orders of the list of instances, so that a page does not sort all of them.
  `create index instances_by_urgency on instances (account_id, (case
    when status in ('failed', 'lost') then 0
    when health = 'unhealthy' and status = 'running' then 1
    when status in ('pending', 'starting', 'restarting') or health = 'starting' then 2
    when status = 'running' then 3
    else 4 end), id) where status <> 'released'`,
  `create index instances_by_start on instances (account_id, coalesce(started_at, 9007199254740991), id)
    where status <> 'released'`,
  // The list of instances by name with a status.
  `create index instances_of_definition on instances (definition_id, status)`,
  // Contains all that counts of instances read, so that they read no rows.
  `create index instances_counted on instances (account_id, status, health, definition_id)`,
  `create table executions (
    id text primary key, account_id text not null references accounts (id),
    instance_id text references instances (id), server_id text not null references servers (id), slug text not null,
    name text not null, status text not null, request text not null, params text not null, exit_code integer,
    output text, output_truncated integer not null, error text, outcome text, timeout_ms bigint not null,
    deadline_at bigint not null, paused_at bigint, sent_epoch bigint, sent_journal text, cancel_requested_at bigint,
    created_by text, created_at bigint not null, updated_at bigint not null, sent_at bigint, started_at bigint,
    finished_at bigint, kind text not null default 'ordered', output_bytes bigint not null default 0,
    output_dropped integer not null default 0)`,
  `create index executions_of_instance on executions (instance_id, id)`,
  `create index executions_unfinished on executions (server_id, id) where status in ('pending', 'sent', 'running')`,
  `create index executions_with_output on executions (finished_at) where output is not null`,
  `create index executions_by_status on executions (account_id, status, id)`,
  `create index executions_of_account on executions (account_id, id)`,
  `create index executions_kept on executions (account_id, finished_at) where output_bytes > 0`,
  `create index executions_scheduled on executions (instance_id, finished_at) where kind = 'scheduled'`,
  `create table backups (
    id text primary key, account_id text not null references accounts (id), instance_id text not null,
    definition_id text not null, server_id text not null, instance_uid text not null, execution_id text not null,
    kind text not null, status text not null, key text not null, manifest text, manifest_sha256 text,
    stored_bytes bigint not null, bytes bigint not null, address text, error text, verified_at bigint, proof text,
    verify_error text, created_by text, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create index backups_of_account on backups (account_id, id)`,
  `create index backups_of_instance on backups (instance_id, id)`,
  `create index backups_of_definition on backups (definition_id, id)`,
  `create table backup_plans (
    definition_id text primary key, account_id text not null, keep_last integer, keep_days integer, schedule text,
    verify_schedule text, due_at bigint, verify_due_at bigint)`,
  `create table upgrades (
    id text primary key, account_id text not null references accounts (id),
    instance_id text not null references instances (id), definition_id text not null references definitions (id),
    server_id text not null references servers (id), species text not null,
    from_template_id text not null references templates (id), to_template_id text not null references templates (id),
    status text not null, acknowledged_at bigint, created_at bigint not null, updated_at bigint not null, step text,
    from_revision integer, revision integer, backup_id text, backup_execution text, deployment_id text,
    return_id text, watch_until bigint, ignore_capacity integer not null default 0, reason text, error text,
    applied_by text, started_at bigint, finished_at bigint, batch text, rehearsal_id text)`,
  `create unique index upgrades_open on upgrades (instance_id) where status in ('available', 'acknowledged')`,
  `create index upgrades_of_account on upgrades (account_id, id)`,
  `create index upgrades_by_status on upgrades (account_id, status, id)`,
  `create index upgrades_of_instance on upgrades (instance_id, id)`,
  `create index upgrades_of_server on upgrades (server_id, id)`,
  // Queried whenever a deployment or execution ends; few of them are upgrades.
  `create index upgrades_applying on upgrades (id) where status = 'applying'`,
  `create table usage_points (
    instance_id text not null references instances (id) on delete cascade, component text not null,
    step integer not null, at bigint not null, samples integer not null, cpu_sum double precision not null,
    cpu_max double precision not null, memory_sum double precision not null, memory_max double precision not null,
    received_sum double precision not null, sent_sum double precision not null,
    read_sum double precision not null default 0, written_sum double precision not null default 0,
    primary key (instance_id, step, at, component))`,
  `create index usage_points_by_age on usage_points (step, at)`,
  `create table suspended_instances (
    tenant_id text not null references tenants (id), instance_id text not null references instances (id),
    primary key (tenant_id, instance_id))`,
  `create table rehearsals (
    id text primary key, account_id text not null references accounts (id), kind text not null,
    instance_id text not null, definition_id text not null, server_id text not null, upgrade_id text,
    from_template_id text not null, to_template_id text not null, copy_definition_id text not null,
    copy_instance_id text not null, change_revision integer, backup_id text, backup_execution text,
    restore_deployment_id text, change_deployment_id text, smoke_id text, release_id text,
    ignore_capacity integer not null, status text not null, reason text, error text, last_lines text not null,
    output text, data_bytes bigint not null, keep_until bigint, deadline_at bigint not null, backed_up_at bigint,
    restored_at bigint, applied_at bigint, cleared_at bigint, created_by text, created_at bigint not null,
    updated_at bigint not null, finished_at bigint)`,
  `create index rehearsals_of_account on rehearsals (account_id, id)`,
  `create index rehearsals_of_instance on rehearsals (instance_id, id)`,
  // An instance has one copy at a time.
  `create unique index rehearsals_under_way on rehearsals (instance_id) where cleared_at is null`,
  `create table shells (
    id text primary key, account_id text not null references accounts (id),
    instance_id text not null references instances (id) on delete cascade, server_id text not null, component text,
    request text not null, terminal integer not null, credential_id text not null, opened_by text not null,
    address text not null, created_at bigint not null, started_at bigint, ended_at bigint, seen_at bigint,
    ending text, exit_code integer, recorded_bytes bigint not null, recording_cut integer not null)`,
  `create index shells_of_instance on shells (account_id, instance_id, id)`,
  `create index shells_by_age on shells (created_at)`,
  `create index shells_running on shells (seen_at) where started_at is not null and ended_at is null`,
  `create table shell_recordings (
    shell_id text not null references shells (id) on delete cascade, number integer not null,
    account_id text not null, content text not null, bytes integer not null, created_at bigint not null,
    primary key (shell_id, number))`,
  `create index shell_recordings_by_age on shell_recordings (created_at)`,
  `create table stored_recordings (
    account_id text primary key references accounts (id) on delete cascade, bytes bigint not null)`,
  `create table confirmations (
    id text primary key, account_id text not null references accounts (id) on delete cascade, endpoint text not null,
    call text not null, title text not null, reason text, subject text not null, status text not null, error text,
    result_id text, requested_by text not null, requested_by_name text, decided_by text, expires_at bigint not null,
    created_at bigint not null, updated_at bigint not null)`,
  `create index confirmations_of_account on confirmations (account_id, id)`,
  `create index confirmations_by_status on confirmations (account_id, status, id)`,
  `create index confirmations_by_age on confirmations (created_at)`,
];
