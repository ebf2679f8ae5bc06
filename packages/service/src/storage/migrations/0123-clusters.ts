import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds clusters: the kind of a server, the daemons of a cluster with their keys, and the lease of the leading one. */
export const clusters = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  // Null means an ordinary server, so that existing rows need no change.
  `alter table servers add column kind text`,
  `alter table servers add column leader_member text`,
  `alter table servers add column leader_until bigint`,
  `alter table deployments add column interrupted_at bigint`,
  `create table server_members (
    id text primary key, account_id text not null references accounts (id),
    server_id text not null references servers (id), name text not null, key_hash text not null unique,
    identity_key text, identity_pinned_at bigint, identity_conflict text, identity_conflict_at bigint,
    capabilities text not null, daemon_version text, daemon_journal text, daemon_platform text not null,
    connected_replica text, connection_number bigint not null, last_seen_at bigint, registered_by text,
    revoked_at bigint, created_at bigint not null, updated_at bigint not null)`,
  `create index server_members_of_server on server_members (server_id, id)`,
  `create unique index server_members_by_name on server_members (server_id, name) where revoked_at is null`,
];
