import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the free networks of a server, as last reported by its daemon. */
export const serverNetworks = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table servers add column networks text').execute(db);
  },
});
