/** Gardens, their runs, and the repositories that they are followed in. */
export const gardens = [
  `create table gardens (
    id text primary key, account_id text not null references accounts (id), name text not null,
    created_at bigint not null, updated_at bigint not null, unique (account_id, name))`,
  `create table garden_items (
    garden_id text not null references gardens (id) on delete cascade, account_id text not null, kind text not null,
    key text not null, resource_id text not null, made integer not null, primary key (garden_id, kind, key))`,
  `create index garden_items_of_account on garden_items (account_id, kind, resource_id)`,
  `create table garden_runs (
    id text primary key, account_id text not null references accounts (id),
    garden_id text not null references gardens (id) on delete cascade, status text not null, prune integer not null,
    plan_hash text not null, files_hash text not null, counts text not null, orders text not null,
    cancelled integer not null, reason text, error text, created_by text, created_at bigint not null,
    updated_at bigint not null, finished_at bigint)`,
  `create index garden_runs_of_garden on garden_runs (garden_id, id)`,
  `create index garden_runs_by_age on garden_runs (created_at)`,
  `create table garden_changes (
    run_id text not null references garden_runs (id) on delete cascade, place integer not null, kind text not null,
    key text not null, action text not null, fields text not null, needs text not null, state text not null,
    resource_id text, deployment_id text, from_revision integer, error text, primary key (run_id, place))`,
  `create index garden_changes_deploying on garden_changes (deployment_id) where state = 'running'`,
  `create table garden_sources (
    garden_id text primary key references gardens (id) on delete cascade,
    account_id text not null references accounts (id), url text not null, branch text not null, path text not null,
    mode text not null, prune integer not null, interval_seconds integer not null, provider text, username text,
    token text, secret text not null, followed_by text not null, requests bigint not null, served bigint not null,
    again_for bigint not null, checked_at bigint, next_check_at bigint, failures integer not null, error text,
    created_at bigint not null, updated_at bigint not null)`,
  `create index garden_sources_of_account on garden_sources (account_id)`,
  `create table garden_commits (
    id text primary key, account_id text not null references accounts (id),
    garden_id text not null references gardens (id) on delete cascade, sha text not null, subject text not null,
    author text not null, committed_at bigint, status text not null, reason text, error text, problems text not null,
    prune integer not null, counts text, plan_hash text, run_id text, decided_by text, reported text,
    report_attempts integer not null, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create index garden_commits_of_garden on garden_commits (garden_id, id)`,
  `create index garden_commits_by_age on garden_commits (created_at)`,
  `create index garden_commits_applying on garden_commits (run_id) where status = 'applying'`,
  `create table garden_commit_contents (
    commit_id text primary key references garden_commits (id) on delete cascade, files text not null, plan text)`,
];
