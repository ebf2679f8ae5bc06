import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes what lists and counts found by reading the rows of all accounts, or every pair of two tables. */
export const foundByIndex = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  // The list of instances by name with a status.
  `create index instances_of_definition on instances (definition_id, status)`,
  // The instances of tenants, also those of archived definitions.
  `create index definitions_in_tenants on definitions (tenant_id, id, status) where tenant_id is not null`,
  // What lists of instances leave out.
  `create index definitions_tested on definitions (account_id, id) where test_id is not null`,
];
