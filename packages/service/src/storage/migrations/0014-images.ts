import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds registries, digests of deployed images, and scheduled executions. */
export const images = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table registries (
    id text primary key, account_id text not null references accounts (id), host text not null,
    username text not null, password text not null, created_by text, created_at bigint not null,
    updated_at bigint not null)`,
  `create unique index registries_of_account on registries (account_id, host)`,
  `alter table deployments add column images text not null default '[]'`,
  `alter table executions add column kind text not null default 'ordered'`,
];
