import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds deploy tests of templates. */
export const deployTests = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table servers add column deploy_tests integer not null default 0`,
  `alter table definitions add column test_id text`,
  // Lists omit these rows, and there are never many.
  `create index definitions_of_tests on definitions (id) where test_id is not null`,
  `create table template_tests (
    id text primary key, account_id text not null references accounts (id),
    template_id text not null references templates (id), spec_hash text not null,
    server_id text not null references servers (id), definition_id text not null references definitions (id),
    deployment_id text not null references deployments (id), smoke_id text, release_id text,
    status text not null, reason text, error text, output text, deadline_at bigint not null, cleared_at bigint,
    created_by text, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create index template_tests_of_template on template_tests (template_id, id)`,
  `create unique index template_tests_under_way on template_tests (template_id) where status in ('deploying', 'testing')`,
  // Queried whenever a deployment or execution ends; few of them are tests.
  `create index template_tests_uncleared on template_tests (id) where cleared_at is null`,
];
