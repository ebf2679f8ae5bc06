import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes the orders of the list of instances, so that a page of many does not sort all of them. */
export const sortedInstances = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create index definitions_by_name on definitions (account_id, lower(name), lower(instance_uid), id)`,
  `create index instances_by_urgency on instances (account_id, (case
    when status in ('failed', 'lost') then 0
    when health = 'unhealthy' and status = 'running' then 1
    when status in ('pending', 'starting', 'restarting') or health = 'starting' then 2
    when status = 'running' then 3
    else 4 end), id) where status <> 'released'`,
  `create index instances_by_start on instances (account_id, coalesce(started_at, 9007199254740991), id)
    where status <> 'released'`,
];
