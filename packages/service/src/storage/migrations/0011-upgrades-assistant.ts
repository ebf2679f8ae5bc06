import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds upgrades and the usage of the assistant. */
export const upgradesAssistant = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table upgrades (
    id text primary key, account_id text not null references accounts (id),
    instance_id text not null references instances (id), definition_id text not null references definitions (id),
    server_id text not null references servers (id), species text not null,
    from_template_id text not null references templates (id), to_template_id text not null references templates (id),
    status text not null, acknowledged_at bigint, created_at bigint not null, updated_at bigint not null)`,
  `create unique index upgrades_open on upgrades (instance_id) where status in ('available', 'acknowledged')`,
  `create index upgrades_of_account on upgrades (account_id, id)`,
  `create index upgrades_by_status on upgrades (account_id, status, id)`,
  `create index upgrades_of_instance on upgrades (instance_id, id)`,
  `create index upgrades_of_server on upgrades (server_id, id)`,

  `create table assistant_usage (
    account_id text not null references accounts (id), asker text not null, month text not null,
    questions integer not null, prompt_tokens bigint not null, answer_tokens bigint not null,
    updated_at bigint not null, primary key (account_id, asker, month))`,
];
