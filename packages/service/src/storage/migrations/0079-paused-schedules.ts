import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pauses the backup schedules of archived definitions; activating one starts them again. */
export const pausedSchedules = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(
        `update backup_plans set schedule = null, verify_schedule = null, due_at = null, verify_due_at = null
        where definition_id in (select id from definitions where status = 'archived')`,
      )
      .execute(db);
  },
});
