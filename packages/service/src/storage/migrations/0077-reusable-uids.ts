import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Makes the uid of an archived definition free for another one. The names on the server stay unique for ever: the column with
 * the unique key becomes `container_name`, which until now always held the same value, and the uid gets a column of its own.
 * Renaming avoids a rebuild of the table, which SQLite would need to drop the key.
 */
export const reusableUids = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table definitions drop column container_name`,
  `alter table definitions rename column instance_uid to container_name`,
  `alter table definitions add column instance_uid text not null default ''`,
  `update definitions set instance_uid = container_name`,
  `create unique index definitions_by_uid on definitions (account_id, instance_uid) where status <> 'archived'`,
  // Lists leave archived definitions out, so their indexes do too: 10,000 archived ones cost a page nothing.
  `create index definitions_listed on definitions (account_id, id) where status <> 'archived' and test_id is null`,
  `drop index definitions_of_server`,
  `create index definitions_of_server on definitions (server_id, id) where status <> 'archived'`,
  `drop index definitions_of_tenant`,
  `create index definitions_of_tenant on definitions (tenant_id, id)
    where tenant_id is not null and status <> 'archived'`,
  // The name that the volumes of an import were made for; null for imports from before this migration.
  `alter table imports add column container_name text`,
];
