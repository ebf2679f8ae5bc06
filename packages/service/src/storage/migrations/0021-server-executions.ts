import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { EngineName } from '../session.ts';

/** Allows executions on a server without an instance. SQLite can drop a constraint only by copying the table. */
export const serverExecutions = (engine: EngineName): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of engine === 'sqlite' ? copying : altering) await sql.raw(statement).execute(db);
  },
});

const altering = ['alter table executions alter column instance_id drop not null'];

const columns = [
  'id, account_id, instance_id, server_id, slug, name, status, request, params, exit_code, output, output_truncated, error',
  'outcome, timeout_ms, deadline_at, paused_at, sent_epoch, sent_journal, cancel_requested_at, created_by, created_at',
  'updated_at, sent_at, started_at, finished_at, kind',
].join(', ');

const copying = [
  `create table copied_executions (
    id text primary key, account_id text not null references accounts (id),
    instance_id text references instances (id), server_id text not null references servers (id),
    slug text not null, name text not null, status text not null, request text not null, params text not null,
    exit_code integer, output text, output_truncated integer not null, error text, outcome text,
    timeout_ms bigint not null, deadline_at bigint not null, paused_at bigint, sent_epoch bigint, sent_journal text,
    cancel_requested_at bigint, created_by text, created_at bigint not null,
    updated_at bigint not null, sent_at bigint, started_at bigint, finished_at bigint,
    kind text not null default 'ordered')`,
  `insert into copied_executions (${columns}) select ${columns} from executions`,
  `drop table executions`,
  `alter table copied_executions rename to executions`,
  `create index executions_of_instance on executions (instance_id, id)`,
  `create index executions_unfinished on executions (server_id, id) where status in ('pending', 'sent', 'running')`,
  `create index executions_with_output on executions (finished_at) where output is not null`,
  `create index executions_by_status on executions (account_id, status, id)`,
  `create index executions_of_account on executions (account_id, id)`,
];
