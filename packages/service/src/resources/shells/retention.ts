import { sql } from 'kysely';
import type { Removal } from '../../retention/removal.ts';
import { removalOfOldest } from '../../storage/remove-oldest.ts';
import { addRecorded } from './store.ts';

/** Parts of recordings that one transaction removes; each has up to 100 KB. */
const MAX_PARTS = 100;

/** Removes old recordings. */
export const removeRecordings: Removal = async (tx, before, max) => {
  const old = await tx.db
    .selectFrom('shell_recordings')
    .select(['shell_id', 'number', 'account_id', 'bytes'])
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(Math.min(max, MAX_PARTS))
    .execute();
  for (const { shell_id, number } of old)
    await tx.db.deleteFrom('shell_recordings').where('shell_id', '=', shell_id).where('number', '=', number).execute();
  // In the order of accounts: two transactions must not lock them crosswise.
  for (const [accountId, parts] of [...Map.groupBy(old, (part) => part.account_id)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  ))
    await addRecorded(tx, accountId, -parts.reduce((sum, part) => sum + part.bytes, 0));
  return old.length;
};

/** Removes old sessions, except running ones and those with a recording that is kept. */
export const removeShells = removalOfOldest('shells', {
  by: 'created_at',
  only: sql`(started_at is null or ended_at is not null)
    and not exists (select 1 from shell_recordings where shell_recordings.shell_id = shells.id)`,
});
