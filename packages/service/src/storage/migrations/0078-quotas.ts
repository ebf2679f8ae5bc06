import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Counts the stored bytes of outputs and logs, by row and by account, so that the oldest can be deleted. */
export const quotas = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table executions add column output_bytes bigint not null default 0`,
  `alter table executions add column output_dropped integer not null default 0`,
  `update executions set output_bytes = octet_length(output) where output is not null`,
  `create index executions_kept on executions (account_id, finished_at) where output_bytes > 0`,
  `create index executions_scheduled on executions (instance_id, finished_at) where kind = 'scheduled'`,
  `alter table deployments add column log_bytes bigint not null default 0`,
  `alter table deployments add column log_dropped integer not null default 0`,
  `update deployments set log_bytes = coalesce(
    (select sum(octet_length(message)) from deployment_logs where deployment_id = deployments.id), 0)`,
  `create index deployments_kept on deployments (account_id, id) where log_bytes > 0`,
  `create table stored_output (account_id text primary key references accounts (id), bytes bigint not null)`,
  `insert into stored_output (account_id, bytes) select id,
    coalesce((select sum(output_bytes) from executions where account_id = accounts.id), 0) +
    coalesce((select sum(log_bytes) from deployments where account_id = accounts.id), 0) from accounts`,
];
