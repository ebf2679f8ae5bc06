import { count, type Removal } from '../retention/removal.ts';

export const removeSessions: Removal = (tx, before, most) =>
  count(
    tx.db
      .deleteFrom('sessions')
      .where('id', 'in', (old) =>
        old.selectFrom('sessions').select('id').where('expires_at', '<', before).orderBy('expires_at').limit(most),
      )
      .returning('id')
      .execute(),
  );
