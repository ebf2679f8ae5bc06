import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds saved connections, and what the needs of revisions are bound to. */
export const connections = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table connections (
    id text primary key, account_id text not null references accounts (id), name text not null, class text not null,
    created_by text, created_at bigint not null, updated_at bigint not null)`,
  `create index connections_of_account on connections (account_id, id)`,
  `create index connections_of_class on connections (account_id, class, id)`,
  `create unique index connections_by_name on connections (account_id, name)`,
  `create table connection_attributes (
    connection_id text not null references connections (id) on delete cascade, name text not null, value text,
    ciphertext text, updated_at bigint not null, primary key (connection_id, name))`,
  `alter table revisions add column bindings text`,
  // Old revisions may name connections that were deleted since, so the ids are no foreign keys.
  `create table revision_bindings (
    definition_id text not null references definitions (id) on delete cascade, number integer not null,
    need text not null, target_id text not null, primary key (definition_id, number, need))`,
  `create index revision_bindings_of_target on revision_bindings (target_id)`,
];
