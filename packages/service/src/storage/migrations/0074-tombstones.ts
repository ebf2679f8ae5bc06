import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the last answers of deleted records, so that a repeated DELETE gets the same answer. */
export const tombstones = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table tombstones (
    account_id text not null,
    path text not null,
    response text not null,
    created_at bigint not null,
    primary key (account_id, path)
  )`,
  'create index tombstones_by_age on tombstones (created_at)',
];
