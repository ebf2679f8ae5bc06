/** Tables of the service itself: settings, limits, stored responses, keys, jobs and replicas. */
export const workings = [
  `create table settings (name text primary key, value text not null)`,
  // One row: the oldest migration that a program must know.
  `create table schema_needs (migration text not null)`,
  `insert into schema_needs (migration) values ('0001-baseline')`,
  `create table rate_windows (
    subject text not null, window_start bigint not null, count bigint not null,
    primary key (subject, window_start))`,
  `create table idempotency (
    account_id text not null, credential text not null, method text not null, path text not null, key text not null,
    body_hmac text not null, status integer not null, response text not null, secrets text,
    created_at bigint not null, primary key (account_id, credential, method, path, key))`,
  `create index idempotency_by_age on idempotency (created_at)`,
  `create index idempotency_secrets_by_age on idempotency (created_at) where secrets is not null`,
  `create table tombstones (
    account_id text not null, path text not null, response text not null, created_at bigint not null,
    primary key (account_id, path))`,
  `create index tombstones_by_age on tombstones (created_at)`,
  `create table data_keys (
    account_id text primary key, wrapped text not null, master text not null, created_at bigint not null,
    updated_at bigint not null)`,
  `create table jobs (
    id text primary key, kind text not null, key text, payload text not null, run_at bigint not null,
    attempts integer not null, lease_owner text, again_at bigint, last_error text, dead integer not null,
    created_at bigint not null)`,
  `create unique index jobs_by_key on jobs (kind, key) where key is not null and dead = 0`,
  `create index jobs_due on jobs (kind, run_at) where dead = 0`,
  `create table replicas (id text primary key, seen_at bigint not null)`,
];
