import type { Removal } from '../../retention/removal.ts';

export async function removeLogLines(...[tx, before, most]: Parameters<Removal>): Promise<number> {
  const old = await tx.db
    .selectFrom('deployment_logs')
    .select('deployment_id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(most)
    .execute();
  if (old.length === 0) return 0;
  const ids = [...new Set(old.map(({ deployment_id }) => deployment_id))];
  // Of few deployments, because each may have thousands of lines.
  const removed = await tx.db
    .deleteFrom('deployment_logs')
    .where('deployment_id', 'in', ids.slice(0, 20))
    .where('at', '<', before)
    .returning('number')
    .execute();
  return removed.length;
}
