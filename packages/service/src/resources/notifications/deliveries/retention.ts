import { sql } from 'kysely';
import { removalOfOldest } from '../../../storage/remove-oldest.ts';

/** Pending messages expire on their own. */
export const removeNotifications = removalOfOldest('notifications', {
  by: 'created_at',
  only: sql`status <> 'pending'`,
});
