import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the drift of instances and its repair. */
export const drift = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table instances add column drift text not null default '[]'`,
  `alter table instances add column drifted_at bigint`,
  `alter table instances add column heals integer not null default 0`,
  `alter table instances add column healed_at bigint`,
  `alter table definitions add column heal integer not null default 0`,
];
