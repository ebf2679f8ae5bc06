import type { Removal } from '../../retention/removal.ts';
import { COARSE, FINE } from './steps.ts';

/** Of few instances at a time, because each has many points. */
const INSTANCES_AT_ONCE = 20;

const removal =
  (step: number): Removal =>
  async (tx, before, most) => {
    const old = await tx.db
      .selectFrom('usage_points')
      .select('instance_id')
      .where('step', '=', step)
      .where('at', '<', before)
      .orderBy('at')
      .limit(most)
      .execute();
    if (old.length === 0) return 0;
    const ids = [...new Set(old.map(({ instance_id }) => instance_id))];
    const removed = await tx.db
      .deleteFrom('usage_points')
      .where('instance_id', 'in', ids.slice(0, INSTANCES_AT_ONCE))
      .where('step', '=', step)
      .where('at', '<', before)
      .returning('at')
      .execute();
    return removed.length;
  };

export const removeFineUsage = removal(FINE);
export const removeUsage = removal(COARSE);
