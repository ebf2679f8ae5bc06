import { sql } from 'kysely';
import { removalOfOldest } from '../../storage/remove-oldest.ts';

/** Removes old evacuations with their moves, once they have ended. */
export const removeEvacuations = removalOfOldest('evacuations', {
  by: 'created_at',
  only: sql`finished_at is not null`,
});
