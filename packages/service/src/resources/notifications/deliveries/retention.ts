import { count, type Removal } from '../../../retention/removal.ts';

/** Removes old messages, except pending ones, which expire on their own. */
export const removeNotifications: Removal = (tx, before, most) =>
  count(
    tx.db
      .deleteFrom('notifications')
      .where('id', 'in', (old) =>
        old
          .selectFrom('notifications')
          .select('id')
          .where('created_at', '<', before)
          .where('status', '<>', 'pending')
          .orderBy('created_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );
