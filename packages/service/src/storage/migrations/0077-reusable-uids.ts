import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Allows reusing the uid of an archived definition. Names on the server stay unique forever: the column with the unique
 * key becomes `container_name`, which so far had the same value, and the uid gets its own column. Renaming avoids
 * recreating the table, which SQLite would need to drop the key.
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
  // Lists omit archived definitions, and so do their indexes: 10,000 archived ones do not slow down a page.
  `create index definitions_listed on definitions (account_id, id) where status <> 'archived' and test_id is null`,
  `drop index definitions_of_server`,
  `create index definitions_of_server on definitions (server_id, id) where status <> 'archived'`,
  `drop index definitions_of_tenant`,
  `create index definitions_of_tenant on definitions (tenant_id, id)
    where tenant_id is not null and status <> 'archived'`,
  // The name for which the volumes of an import were created; null for imports from before this migration.
  `alter table imports add column container_name text`,
];
