import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds backups of instances and their schedules. */
export const backups = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
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
    definition_id text primary key, account_id text not null, keep_last integer, keep_days integer,
    schedule text, verify_schedule text, due_at bigint, verify_due_at bigint)`,
  `alter table definitions add column backup text`,
];
