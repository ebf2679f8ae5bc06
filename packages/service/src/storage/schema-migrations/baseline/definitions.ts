/** Tenants, definitions with their revisions, deployments, and tests of templates. */
export const definitions = [
  `create table tenants (
    id text primary key, account_id text not null references accounts (id), name text not null, slug text not null,
    server_id text not null references servers (id), status text not null, suspended_at bigint,
    created_at bigint not null, updated_at bigint not null)`,
  `create unique index tenants_by_slug on tenants (account_id, slug) where status <> 'deleted'`,
  `create index tenants_of_account on tenants (account_id, id)`,
  `create index tenants_by_status on tenants (account_id, status, id)`,
  `create index tenants_of_server on tenants (server_id, id)`,
  // Names on the server stay unique forever, also after archiving; the uid can be reused then. The key keeps the name that it has
  // in databases from before the baseline.
  `create table definitions (
    id text primary key, account_id text not null references accounts (id), name text not null,
    container_name text not null, template_id text not null references templates (id),
    server_id text not null references servers (id), status text not null, current_revision integer not null,
    last_revision integer not null, succeeded_at bigint, created_at bigint not null, updated_at bigint not null,
    tenant_id text references tenants (id), watch_seconds integer not null default 60,
    heal integer not null default 0, backup text, test_id text, instance_uid text not null default '', copy_of text,
    constraint definitions_account_id_instance_uid_key unique (account_id, container_name))`,
  `create index definitions_of_account on definitions (account_id, id)`,
  `create index definitions_by_status on definitions (account_id, status, id)`,
  `create index definitions_of_tests on definitions (id) where test_id is not null`,
  `create unique index definitions_by_uid on definitions (account_id, instance_uid) where status <> 'archived'`,
  // Lists omit archived definitions, and so do their indexes: 10,000 archived ones do not slow down a page.
  `create index definitions_listed on definitions (account_id, id) where status <> 'archived' and test_id is null`,
  `create index definitions_of_server on definitions (server_id, id) where status <> 'archived'`,
  `create index definitions_of_tenant on definitions (tenant_id, id)
    where tenant_id is not null and status <> 'archived'`,
  // Orders of the list of instances, so that a page does not sort all of them.
  `create index definitions_by_name on definitions (account_id, lower(name), lower(instance_uid), id)`,
  // Queried for each batch of published events; accounts without copies need no further query.
  `create index definitions_copies on definitions (account_id, id) where copy_of is not null`,
  // The instances of tenants, also those of archived definitions.
  `create index definitions_in_tenants on definitions (tenant_id, id, status) where tenant_id is not null`,
  // What lists of instances leave out.
  `create index definitions_tested on definitions (account_id, id) where test_id is not null`,
  `create table revisions (
    definition_id text not null references definitions (id), number integer not null, template_id text not null,
    spec_hash text not null, profile text not null, variant text, inputs text not null, secret_inputs text not null,
    created_by text, created_at bigint not null, changed_secrets text not null default '[]', bindings text,
    overrides text, primary key (definition_id, number))`,
  // Old revisions may name connections that were deleted since, so the ids are no foreign keys.
  `create table revision_bindings (
    definition_id text not null references definitions (id) on delete cascade, number integer not null,
    need text not null, target_id text not null, primary key (definition_id, number, need))`,
  `create index revision_bindings_of_target on revision_bindings (target_id)`,
  `create table definition_secrets (
    definition_id text not null references definitions (id), name text not null, kind text not null, generator text,
    ciphertext text, created_at bigint not null, updated_at bigint not null, primary key (definition_id, name))`,
  `create table deployments (
    id text primary key, account_id text not null references accounts (id),
    definition_id text not null references definitions (id), server_id text not null references servers (id),
    instance_id text, status text not null, kind text not null, rollback_of text, revision integer not null,
    template_id text not null, spec_hash text not null, reason text, error text, cancel_requested_at bigint,
    progress_at bigint, log_lines integer not null, created_by text, created_at bigint not null,
    updated_at bigint not null, started_at bigint, finished_at bigint, claimed_by text, log_source text,
    log_told integer not null default 0, gap_ms bigint, images text not null default '[]', backup_id text,
    preparation text, preparation_execution text, prepared_at bigint, log_bytes bigint not null default 0,
    log_dropped integer not null default 0, last_lines text, trace_parent text, interrupted_at bigint)`,
  `create index deployments_of_account on deployments (account_id, id)`,
  `create index deployments_by_status on deployments (account_id, status, id)`,
  `create index deployments_of_definition on deployments (definition_id, id)`,
  `create index deployments_of_server on deployments (server_id, id)`,
  `create index deployments_of_instance on deployments (instance_id, id) where instance_id is not null`,
  `create index deployments_unfinished on deployments (server_id, id) where status in ('pending', 'running')`,
  `create index deployments_queued on deployments (definition_id, id) where status in ('pending', 'running')`,
  // Queried whenever a built-in action ends; few of them prepare a deployment.
  `create index deployments_prepared_by on deployments (preparation_execution)
    where preparation is not null and status = 'pending'`,
  `create index deployments_kept on deployments (account_id, id) where log_bytes > 0`,
  `create table route_claims (
    server_id text not null references servers (id), host text not null, path text not null,
    definition_id text not null references definitions (id), revisions text not null,
    primary key (server_id, host, path))`,
  `create table deployment_logs (
    deployment_id text not null references deployments (id) on delete cascade, number integer not null,
    at bigint not null, level text not null, step text, message text not null, primary key (deployment_id, number))`,
  `create index deployment_logs_by_age on deployment_logs (at)`,
  `create table template_tests (
    id text primary key, account_id text not null references accounts (id),
    template_id text not null references templates (id), spec_hash text not null,
    server_id text not null references servers (id), definition_id text not null references definitions (id),
    deployment_id text not null references deployments (id), smoke_id text, release_id text, status text not null,
    reason text, error text, output text, deadline_at bigint not null, cleared_at bigint, created_by text,
    created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create index template_tests_of_template on template_tests (template_id, id)`,
  `create unique index template_tests_under_way on template_tests (template_id)
    where status in ('deploying', 'testing')`,
  `create index template_tests_uncleared on template_tests (id) where cleared_at is null`,
];
