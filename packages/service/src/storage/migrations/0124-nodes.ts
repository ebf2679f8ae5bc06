import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the nodes of clusters, as the leading member last reported them, and what definitions override of templates. */
export const nodes = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table revisions add column overrides text`).execute(db);
    await sql
      .raw(
        `create table server_nodes (
          server_id text not null references servers (id), id text not null, hostname text not null,
          role text not null, availability text not null, state text not null, labels text not null,
          engine_version text, cpus double precision, memory_bytes bigint, tasks text not null,
          state_since bigint not null, reported_at bigint not null, primary key (server_id, id))`,
      )
      .execute(db);
  },
});
