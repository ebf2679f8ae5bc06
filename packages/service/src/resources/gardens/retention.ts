import { sql } from 'kysely';
import { removalOfOldest } from '../../storage/remove-oldest.ts';

/** Removes old runs that have ended, with their changes, except the newest of each garden. */
export const removeGardenRuns = removalOfOldest('garden_runs', {
  by: 'created_at',
  only: sql`finished_at is not null
    and exists (select 1 from garden_runs newer where newer.garden_id = garden_runs.garden_id and newer.id > garden_runs.id)`,
});
