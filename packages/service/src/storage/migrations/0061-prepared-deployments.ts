import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds deployments that wait for a backup or a restore. */
export const preparedDeployments = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const columns = ['backup_id text', 'preparation text', 'preparation_execution text', 'prepared_at bigint'];

const statements = [
  ...columns.map((column) => `alter table deployments add column ${column}`),
  // Queried whenever a built-in action ends; few of them prepare a deployment.
  `create index deployments_prepared_by on deployments (preparation_execution)
    where preparation is not null and status = 'pending'`,
];
