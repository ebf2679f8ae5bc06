import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keeps the beginning of the receiver's answer with a delivery, so that its retention also removes the answer. */
export const deliveryReplies = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw('alter table deliveries add column reply text').execute(db);
  },
});
