import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Counts the mails about accounts to each address, so that invitations cannot flood a mailbox. */
export const mails = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(
        `create table mail_windows (
          address_hash text not null, window_start bigint not null, count integer not null,
          primary key (address_hash, window_start))`,
      )
      .execute(db);
  },
});
