import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores the certificate that each HTTPS address of an instance presented when it was last checked. */
export const certificates = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table certificates (
    instance_id text primary key references instances (id) on delete cascade, account_id text not null,
    server_id text not null, name text not null, host text not null, expires_at bigint not null,
    checked_at bigint not null)`,
  `create index certificates_by_expiry on certificates (expires_at)`,
];
