import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds gardens, what they made, and their runs with the state of every change. */
export const gardens = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
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
];
