import { count, type Removal } from '../../retention/removal.ts';

/** Removes rows by age alone: they have no id, and rows of the same millisecond are removed together. */
export async function removeIdempotencyRows(...[tx, before, most]: Parameters<Removal>): Promise<number> {
  const old = await tx.db
    .selectFrom('idempotency')
    .select('created_at')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(most)
    .execute();
  const last = old.at(-1);
  if (!last) return 0;
  return count(tx.db.deleteFrom('idempotency').where('created_at', '<=', last.created_at).returning('key').execute());
}

/** Deletes the secrets of stored answers; the answers stay, so that repeating the request still creates nothing. */
export const removeReplaySecrets: Removal = async (tx, before, most) => {
  const old = await tx.db
    .selectFrom('idempotency')
    .select('created_at')
    .where('secrets', 'is not', null)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(most)
    .execute();
  const last = old.at(-1);
  if (!last) return 0;
  return count(
    tx.db
      .updateTable('idempotency')
      .set({ secrets: null })
      .where('secrets', 'is not', null)
      .where('created_at', '<=', last.created_at)
      .returning('key')
      .execute(),
  );
};
