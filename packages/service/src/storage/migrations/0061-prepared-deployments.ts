import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Deployments that wait for a backup, or for data that is brought back. */
export const preparedDeployments = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const columns = ['backup_id text', 'preparation text', 'preparation_execution text', 'prepared_at bigint'];

const statements = [
  ...columns.map((column) => `alter table deployments add column ${column}`),
  // Asked for whenever something that was built in ends, and few of those are waited for.
  `create index deployments_prepared_by on deployments (preparation_execution)
    where preparation is not null and status = 'pending'`,
];
