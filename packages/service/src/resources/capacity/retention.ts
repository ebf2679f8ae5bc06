import type { Removal } from '../../retention/removal.ts';
import { COARSE, FINE } from '../metrics/steps.ts';

/** Of few servers at a time, because each has many points. */
const SERVERS_AT_ONCE = 20;

const removal =
  (step: number): Removal =>
  async (tx, before, most) => {
    const old = await tx.db
      .selectFrom('capacity_points')
      .select('server_id')
      .where('step', '=', step)
      .where('at', '<', before)
      .orderBy('at')
      .limit(most)
      .execute();
    if (old.length === 0) return 0;
    const ids = [...new Set(old.map(({ server_id }) => server_id))];
    const removed = await tx.db
      .deleteFrom('capacity_points')
      .where('server_id', 'in', ids.slice(0, SERVERS_AT_ONCE))
      .where('step', '=', step)
      .where('at', '<', before)
      .returning('at')
      .execute();
    return removed.length;
  };

export const removeFineCapacity = removal(FINE);
export const removeCapacity = removal(COARSE);
