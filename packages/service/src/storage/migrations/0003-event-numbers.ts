import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { EngineName } from '../session.ts';

/**
 * Uses `position` as the event number on SQLite, whose single writer inserts in commit order: writing the number
 * separately cost a tenth of a creation. On PostgreSQL commits can overtake each other, so the dispatcher assigns
 * numbers.
 */
export const eventNumbers = (engine: EngineName): Migration => ({
  async up(db: Kysely<unknown>) {
    if (engine === 'sqlite') for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const kept = 'id, account_id, type, resource_type, resource_id, actor, data, created_at';

const statements = [
  `create table numbered_events (
    position integer primary key autoincrement, seq bigint generated always as (position) virtual,
    id text not null unique, account_id text not null, type text not null, resource_type text not null,
    resource_id text not null, actor text, data text not null, created_at bigint not null)`,
  // Numbers were assigned in the order of positions and without gaps, so no pending event collides with an assigned
  // number.
  `insert into numbered_events (position, ${kept}) select coalesce(seq, position), ${kept} from events order by position`,
  `drop table events`,
  `alter table numbered_events rename to events`,
  `create index events_of_account on events (account_id, seq)`,
  `create index events_by_type on events (account_id, type, seq)`,
  `create index events_of_resource on events (account_id, resource_id, seq)`,
];
