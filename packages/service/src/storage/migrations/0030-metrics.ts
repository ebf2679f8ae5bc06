import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds series for charts. Sums are floating-point, because large machines exceed the safe integers of JavaScript. */
export const metrics = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const number = 'double precision not null';

const statements = [
  `create table capacity_points (
    server_id text not null references servers (id) on delete cascade, step integer not null, at bigint not null,
    samples integer not null, cpu_sum ${number}, cpu_max ${number}, memory_used_sum ${number},
    memory_used_max ${number}, memory_free_sum ${number}, disk_used_sum ${number}, disk_free_sum ${number},
    primary key (server_id, step, at))`,
  `create index capacity_points_by_age on capacity_points (step, at)`,

  `create table usage_points (
    instance_id text not null references instances (id) on delete cascade, component text not null,
    step integer not null, at bigint not null, samples integer not null, cpu_sum ${number}, cpu_max ${number},
    memory_sum ${number}, memory_max ${number}, received_sum ${number}, sent_sum ${number},
    primary key (instance_id, step, at, component))`,
  `create index usage_points_by_age on usage_points (step, at)`,
];
