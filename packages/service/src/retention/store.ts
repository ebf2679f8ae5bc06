import type { Tx } from '../storage/storage.ts';

/** Each removes some of what is older than a time, the oldest first, and answers how many rows that were. */
export type Removal = (tx: Tx, before: number, most: number) => Promise<number>;

const count = async (rows: Promise<readonly unknown[]>): Promise<number> => (await rows).length;

/** One without a number has not been told to anybody yet. */
export const removeEvents: Removal = (tx, before, most) =>
  count(
    tx.db
      .deleteFrom('events')
      .where('id', 'in', (old) =>
        old
          .selectFrom('events')
          .select('id')
          .where('created_at', '<', before)
          .where('seq', 'is not', null)
          .orderBy('created_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );

/** One that is still to be sent has an end of its own. */
export const removeDeliveries: Removal = (tx, before, most) =>
  count(
    tx.db
      .deleteFrom('deliveries')
      .where('id', 'in', (old) =>
        old
          .selectFrom('deliveries')
          .select('id')
          .where('created_at', '<', before)
          .where('status', '<>', 'pending')
          .orderBy('created_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );

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

/** The execution itself stays, without what it wrote. */
export const removeOutputs: Removal = (tx, before, most) =>
  count(
    tx.db
      .updateTable('executions')
      .set({ output: null })
      .where('id', 'in', (old) =>
        old
          .selectFrom('executions')
          .select('id')
          .where('output', 'is not', null)
          .where('finished_at', '<', before)
          .orderBy('finished_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );

/** By their age alone: a key has no id, and those of the same millisecond go together. */
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
