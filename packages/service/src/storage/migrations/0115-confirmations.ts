import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds calls of programs that wait for the confirmation of a person. */
export const confirmations = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table confirmations (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    endpoint text not null,
    call text not null,
    title text not null,
    reason text,
    subject text not null,
    status text not null,
    error text,
    result_id text,
    requested_by text not null,
    requested_by_name text,
    decided_by text,
    expires_at bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create index confirmations_of_account on confirmations (account_id, id)`,
  `create index confirmations_by_status on confirmations (account_id, status, id)`,
  `create index confirmations_by_age on confirmations (created_at)`,
];
