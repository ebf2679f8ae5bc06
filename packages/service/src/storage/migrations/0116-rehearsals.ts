import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds rehearsals and clones, with the definitions of their copies. */
export const rehearsals = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table definitions add column copy_of text`,
  // Queried for each batch of published events; accounts without copies need no further look.
  `create index definitions_copies on definitions (account_id, id) where copy_of is not null`,
  `alter table upgrades add column rehearsal_id text`,
  `create table rehearsals (
    id text primary key, account_id text not null references accounts (id), kind text not null,
    instance_id text not null, definition_id text not null, server_id text not null, upgrade_id text,
    from_template_id text not null, to_template_id text not null,
    copy_definition_id text not null, copy_instance_id text not null, change_revision integer,
    backup_id text, backup_execution text, restore_deployment_id text, change_deployment_id text,
    smoke_id text, release_id text, ignore_capacity integer not null,
    status text not null, reason text, error text, last_lines text not null, output text, data_bytes bigint not null,
    keep_until bigint, deadline_at bigint not null, backed_up_at bigint, restored_at bigint, applied_at bigint,
    cleared_at bigint, created_by text, created_at bigint not null, updated_at bigint not null, finished_at bigint)`,
  `create index rehearsals_of_account on rehearsals (account_id, id)`,
  `create index rehearsals_of_instance on rehearsals (instance_id, id)`,
  // An instance has one copy at a time.
  `create unique index rehearsals_under_way on rehearsals (instance_id) where cleared_at is null`,
];
