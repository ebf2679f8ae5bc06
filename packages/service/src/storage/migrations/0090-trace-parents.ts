import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keeps the trace of the order of a deployment, so that the spans of its rollout belong to the same trace. */
export const traceParents = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table deployments add column trace_parent text').execute(db);
  },
});
