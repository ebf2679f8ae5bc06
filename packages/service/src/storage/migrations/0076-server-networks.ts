import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How much room a server has for networks, as its daemon last reported it. */
export const serverNetworks = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table servers add column networks text').execute(db);
  },
});
