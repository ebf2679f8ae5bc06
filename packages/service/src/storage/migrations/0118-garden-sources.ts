import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the repositories that gardens are followed in, and their commits. */
export const gardenSources = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table garden_sources (
    garden_id text primary key references gardens (id) on delete cascade, account_id text not null references accounts (id),
    url text not null, branch text not null, path text not null, mode text not null, prune integer not null,
    interval_seconds integer not null, provider text, username text, token text, secret text not null,
    followed_by text not null, requests bigint not null, served bigint not null, again_for bigint not null,
    checked_at bigint, next_check_at bigint, failures integer not null, error text, created_at bigint not null,
    updated_at bigint not null)`,
  `create index garden_sources_of_account on garden_sources (account_id)`,
  `create table garden_commits (
    id text primary key, account_id text not null references accounts (id),
    garden_id text not null references gardens (id) on delete cascade, sha text not null, subject text not null,
    author text not null, committed_at bigint, status text not null, reason text, error text, problems text not null,
    prune integer not null, counts text, plan_hash text, run_id text, decided_by text,
    reported text, report_attempts integer not null, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create table garden_commit_contents (
    commit_id text primary key references garden_commits (id) on delete cascade, files text not null, plan text)`,
  `create index garden_commits_of_garden on garden_commits (garden_id, id)`,
  `create index garden_commits_by_age on garden_commits (created_at)`,
  `create index garden_commits_applying on garden_commits (run_id) where status = 'applying'`,
];
