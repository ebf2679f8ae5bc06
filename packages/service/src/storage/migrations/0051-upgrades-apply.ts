import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the progress of upgrades. */
export const upgradesApply = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const columns = [
  'step text',
  'from_revision integer',
  'revision integer',
  'backup_id text',
  'backup_execution text',
  'deployment_id text',
  'return_id text',
  'watch_until bigint',
  'ignore_capacity integer not null default 0',
  'reason text',
  'error text',
  'applied_by text',
  'started_at bigint',
  'finished_at bigint',
  'batch text',
];

const statements = [
  ...columns.map((column) => `alter table upgrades add column ${column}`),
  // Queried whenever a deployment or execution ends; few of them are upgrades.
  `create index upgrades_applying on upgrades (id) where status = 'applying'`,
];
