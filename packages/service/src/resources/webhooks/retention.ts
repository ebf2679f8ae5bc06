import { count, type Removal } from '../../retention/removal.ts';

/** Removes old deliveries, except pending ones, which expire on their own. */
export const removeDeliveries: Removal = (tx, before, most) =>
  count(
    tx.db
      .deleteFrom('deliveries')
      .where('id', 'in', (old) =>
        old
          .selectFrom('deliveries')
          .select('id')
          .where('created_at', '<', before)
          .where('status', '<>', 'pending')
          .orderBy('created_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );
