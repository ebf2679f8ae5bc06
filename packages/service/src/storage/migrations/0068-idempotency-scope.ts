import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the credential to the key of stored answers, and stores secrets separately. Existing rows are dropped: their
 * credential is unknown, so none of them can be replayed safely.
 */
export const idempotencyScope = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `drop table idempotency`,
  `create table idempotency (
    account_id text not null, credential text not null, method text not null, path text not null, key text not null,
    body_hmac text not null, status integer not null, response text not null, secrets text, created_at bigint not null,
    primary key (account_id, credential, method, path, key))`,
  `create index idempotency_by_age on idempotency (created_at)`,
  `create index idempotency_secrets_by_age on idempotency (created_at) where secrets is not null`,
];
