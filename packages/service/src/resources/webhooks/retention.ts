import { count, type Removal } from '../../retention/removal.ts';

/** One that is still to be sent has an end of its own. */
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
