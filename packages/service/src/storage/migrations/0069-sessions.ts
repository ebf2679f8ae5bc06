import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Records where sessions come from and when they were last used, and the networks from which users have
 * signed in, which the sign-in throttle looks at.
 */
export const sessions = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table sessions add column address text`,
  `alter table sessions add column user_agent text`,
  `alter table sessions add column last_seen_at bigint not null default 0`,
  `alter table sessions add column ended_at bigint`,
  `update sessions set last_seen_at = created_at`,
  `drop index sessions_of_user`,
  `create index sessions_of_user on sessions (user_id, id)`,
  `create table user_networks (
    user_id text not null references users (id) on delete cascade, network text not null,
    last_login_at bigint not null, primary key (user_id, network))`,
];
