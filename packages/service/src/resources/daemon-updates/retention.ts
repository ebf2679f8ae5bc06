import { sql } from 'kysely';
import { removalOfOldest } from '../../storage/remove-oldest.ts';

/** Removes old updates, with their servers, once each of these has ended. */
export const removeDaemonUpdates = removalOfOldest('daemon_updates', {
  by: 'created_at',
  only: sql`finished_at is not null and not exists
    (select 1 from daemon_update_targets target where target.update_id = daemon_updates.id and target.finished_at is null)`,
});
