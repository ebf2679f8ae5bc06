import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds shell sessions and their recordings, both encrypted where they may hold secrets. */
export const shells = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table shells (
    id text primary key, account_id text not null references accounts (id),
    instance_id text not null references instances (id) on delete cascade, server_id text not null,
    component text, request text not null, terminal integer not null, credential_id text not null,
    opened_by text not null, address text not null, created_at bigint not null, started_at bigint, ended_at bigint,
    seen_at bigint, ending text, exit_code integer, recorded_bytes bigint not null, recording_cut integer not null)`,
  `create index shells_of_instance on shells (account_id, instance_id, id)`,
  `create index shells_by_age on shells (created_at)`,
  `create index shells_running on shells (seen_at) where started_at is not null and ended_at is null`,
  `create table shell_recordings (
    shell_id text not null references shells (id) on delete cascade, number integer not null, account_id text not null,
    content text not null, bytes integer not null, created_at bigint not null, primary key (shell_id, number))`,
  `create index shell_recordings_by_age on shell_recordings (created_at)`,
  `create table stored_recordings (
    account_id text primary key references accounts (id) on delete cascade, bytes bigint not null)`,
];
