import type { Tx } from '../storage/storage.ts';

/** Counts a mail in its window and returns the number of mails in it. */
export async function countMail(tx: Tx, address_hash: string, window_start: number): Promise<number> {
  const { count } = await tx.db
    .insertInto('mail_windows')
    .values({ address_hash, window_start, count: 1 })
    .onConflict((clash) =>
      clash
        .columns(['address_hash', 'window_start'])
        .doUpdateSet((set) => ({ count: set('mail_windows.count', '+', 1) })),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  await tx.db.deleteFrom('mail_windows').where('window_start', '<', window_start).execute();
  return count;
}
