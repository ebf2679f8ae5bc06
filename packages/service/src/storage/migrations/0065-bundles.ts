import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds imports. A transfer can now have a caller at one end, and a definition that does not exist yet; SQLite can drop
 * neither `not null` nor a reference from a column, so the table is recreated.
 */
export const bundles = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const kept =
  'id, account_id, migration_id, definition_id, instance_uid, storage, volume, mode, from_server_id, to_server_id, status, ' +
  'chunks, bytes, carried_bytes, sha256, error, meeting_url, created_at, updated_at, started_at, finished_at';

const statements = [
  `create table imports (
    id text primary key, account_id text not null references accounts (id),
    server_id text not null references servers (id), definition_id text not null, name text not null,
    instance_uid text not null, species text not null, template_id text not null, status text not null,
    bundle text not null, volumes text not null, ignore_capacity integer not null, reason text, error text,
    deployment_id text, progress_at bigint not null, created_by text, created_at bigint not null,
    updated_at bigint not null, finished_at bigint)`,
  `create index imports_of_account on imports (account_id, id)`,
  `create index imports_by_status on imports (account_id, status, id)`,
  `create unique index imports_under_way on imports (account_id, instance_uid) where status = 'receiving'`,
  `create table transfers_anew (
    id text primary key, account_id text not null references accounts (id),
    migration_id text references migrations (id), import_id text references imports (id), backup_id text,
    definition_id text not null, instance_uid text not null, storage text not null, volume text not null,
    mode text not null, from_server_id text references servers (id), to_server_id text references servers (id),
    status text not null, chunks bigint not null, bytes bigint not null, carried_bytes bigint not null, sha256 text,
    error text, meeting_url text, created_at bigint not null, updated_at bigint not null, started_at bigint,
    finished_at bigint)`,
  `insert into transfers_anew (${kept}) select ${kept} from transfers`,
  `drop table transfers`,
  `alter table transfers_anew rename to transfers`,
  `create index transfers_of_migration on transfers (migration_id, id)`,
  `create index transfers_of_import on transfers (import_id, id)`,
  `create index transfers_of_account on transfers (account_id, id)`,
  `create index transfers_from on transfers (from_server_id, id) where status in ('pending', 'running')`,
  `create index transfers_to on transfers (to_server_id, id) where status in ('pending', 'running')`,
];
