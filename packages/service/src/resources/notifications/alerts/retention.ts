import { count, type Removal } from '../../../retention/removal.ts';

/** Removes alerts that were resolved long ago. */
export const removeAlerts: Removal = (tx, before, most) =>
  count(
    tx.db
      .deleteFrom('alerts')
      .where('id', 'in', (old) =>
        old
          .selectFrom('alerts')
          .select('id')
          .where('status', '=', 'resolved')
          .where('resolved_at', '<', before)
          .orderBy('resolved_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );
