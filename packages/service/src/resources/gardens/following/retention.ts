import { sql } from 'kysely';
import { removalOfOldest } from '../../../storage/remove-oldest.ts';

/** Removes old commits that have ended, except the newest of each garden and the one that was applied last. */
export const removeGardenCommits = removalOfOldest('garden_commits', {
  by: 'created_at',
  only: sql`finished_at is not null
    and exists (select 1 from garden_commits newer
      where newer.garden_id = garden_commits.garden_id and newer.id > garden_commits.id)
    and (status <> 'applied' or exists (select 1 from garden_commits later
      where later.garden_id = garden_commits.garden_id and later.id > garden_commits.id and later.status = 'applied'))`,
});
