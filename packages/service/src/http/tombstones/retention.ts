import { count, type Removal } from '../../retention/removal.ts';

/** How long a repeated DELETE gets the first answer. */
export const TOMBSTONE_DAYS = 30;

/** Removes rows by age alone; rows of the same millisecond are removed together. */
export async function removeTombstones(...[tx, before, most]: Parameters<Removal>): Promise<number> {
  const old = await tx.db
    .selectFrom('tombstones')
    .select('created_at')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(most)
    .execute();
  const last = old.at(-1);
  if (!last) return 0;
  return count(tx.db.deleteFrom('tombstones').where('created_at', '<=', last.created_at).returning('path').execute());
}
