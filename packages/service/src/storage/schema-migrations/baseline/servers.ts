/** Servers, clusters, their facts and series, registries, and updates of daemons. */
export const servers = [
  `create table servers (
    id text primary key, account_id text not null references accounts (id), name text not null,
    environment text not null, description text, status text not null, key_hash text not null unique,
    next_key_hash text unique, registered_by text, connection_epoch bigint not null, last_seen_at bigint,
    deleted_at bigint, created_at bigint not null, updated_at bigint not null, connected_replica text,
    duplicate_at bigint, capabilities text not null default '[]', daemon_version text,
    daemon_platform text not null default '{}', polled_at bigint, next_key_sealed text, daemon_journal text,
    fingerprint text, deploy_tests integer not null default 0, identity_key text, identity_pinned_at bigint,
    identity_conflict text, identity_conflict_at bigint, key_trusted integer not null default 1,
    old_key_until bigint, networks text, labels text, kind text, leader_member text, leader_until bigint,
    leader_since bigint)`,
  `create index servers_of_account on servers (account_id, id)`,
  `create index servers_of_user on servers (account_id, registered_by, id)`,
  `create index servers_connected on servers (connected_replica) where connected_replica is not null`,
  // Read by the rules of notifications; holds only the rows in question.
  `create index servers_offline on servers (id) where deleted_at is null and status in ('offline', 'draining')`,
  `create table server_members (
    id text primary key, account_id text not null references accounts (id),
    server_id text not null references servers (id), name text not null, key_hash text not null unique,
    identity_key text, identity_pinned_at bigint, identity_conflict text, identity_conflict_at bigint,
    capabilities text not null, daemon_version text, daemon_journal text, daemon_platform text not null,
    connected_replica text, connection_number bigint not null, last_seen_at bigint, registered_by text,
    revoked_at bigint, created_at bigint not null, updated_at bigint not null)`,
  `create index server_members_of_server on server_members (server_id, id)`,
  `create unique index server_members_by_name on server_members (server_id, name) where revoked_at is null`,
  `create table server_nodes (
    server_id text not null references servers (id), id text not null, hostname text not null, role text not null,
    availability text not null, state text not null, labels text not null, engine_version text,
    cpus double precision, memory_bytes bigint, tasks text not null, state_since bigint not null,
    reported_at bigint not null, primary key (server_id, id))`,
  `create table server_capacity (
    server_id text primary key references servers (id) on delete cascade, memory_used bigint not null,
    memory_free bigint not null, cpu_cores double precision not null, cpu_used_percent double precision not null,
    disk_used bigint not null, disk_free bigint not null, reported_at bigint not null)`,
  // Sums are floating-point, because large machines exceed the safe integers of JavaScript.
  `create table capacity_points (
    server_id text not null references servers (id) on delete cascade, step integer not null, at bigint not null,
    samples integer not null, cpu_sum double precision not null, cpu_max double precision not null,
    memory_used_sum double precision not null, memory_used_max double precision not null,
    memory_free_sum double precision not null, disk_used_sum double precision not null,
    disk_free_sum double precision not null, primary key (server_id, step, at))`,
  `create index capacity_points_by_age on capacity_points (step, at)`,
  `create table registries (
    id text primary key, account_id text not null references accounts (id), host text not null,
    username text not null, password text not null, created_by text, created_at bigint not null,
    updated_at bigint not null)`,
  `create unique index registries_of_account on registries (account_id, host)`,
  `create table daemon_updates (
    id text primary key, account_id text not null references accounts (id), version text not null,
    releases text not null, status text not null, error text, stage integer not null, stage_begun_at bigint not null,
    stages text not null, max_failed integer not null, allow_downgrade integer not null, offline_ms bigint not null,
    left_out text not null, created_by text, created_at bigint not null, updated_at bigint not null,
    finished_at bigint)`,
  `create index daemon_updates_of_account on daemon_updates (account_id, id)`,
  `create index daemon_updates_by_age on daemon_updates (created_at)`,
  `create table daemon_update_targets (
    id text primary key, update_id text not null references daemon_updates (id) on delete cascade,
    account_id text not null, server_id text not null, server_name text not null, environment text not null,
    platform text not null, place integer not null, stage integer not null, status text not null,
    accepted integer not null, from_version text, reason text, error text, sent_epoch bigint,
    heard_at bigint not null, ordered_at bigint, created_at bigint not null, updated_at bigint not null,
    finished_at bigint)`,
  `create unique index daemon_update_targets_of_update on daemon_update_targets (update_id, place)`,
  // A server is part of one update at a time.
  `create unique index daemon_update_targets_open on daemon_update_targets (server_id) where finished_at is null`,
];
