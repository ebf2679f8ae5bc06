import { count, type Removal } from '../retention/removal.ts';
import { lastTold } from './store.ts';

/** Removes old events, except those that were not dispatched yet. */
export const removeEvents: Removal = (tx, before, most) =>
  count(
    tx.db
      .deleteFrom('events')
      .where('id', 'in', (old) =>
        old
          .selectFrom('events')
          .select('id')
          .where('created_at', '<', before)
          .where('seq', '<=', lastTold)
          .orderBy('created_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );
