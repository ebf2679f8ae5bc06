import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the traffic with block devices to the usage of components; older points have none. */
export const blockDevices = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of ['read_sum', 'written_sum'])
      await sql.raw(`alter table usage_points add column ${column} double precision not null default 0`).execute(db);
  },
});
