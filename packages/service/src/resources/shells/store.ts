import { sql } from 'kysely';
import { countUpTo } from '../../storage/count-up-to.ts';
import { findIn, listOf } from '../../storage/lists.ts';
import { removalOfOldest } from '../../storage/remove-oldest.ts';
import type { Slots } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row } from '../../storage/tables.ts';

export type ShellRow = Row<'shells'>;

export const shellsOf = listOf(
  'shells',
  (filter: Slots<{ accountId: string; instanceId: string }>) => (eb) =>
    eb.and([eb('account_id', '=', filter.accountId), eb('instance_id', '=', filter.instanceId)]),
);

export const findShell = findIn('shells');

export async function insertShell(tx: Tx, row: NewRow<'shells'>): Promise<void> {
  await tx.db.insertInto('shells').values(row).execute();
}

/** Begins a session that no client has connected to; undefined if there is none that this credential may begin. */
export const beginShell = (
  tx: Tx,
  { id, accountId, credentialId, since }: { id: string; accountId: string; credentialId: string; since: number },
): Promise<ShellRow | undefined> =>
  tx.db
    .updateTable('shells')
    .set({ started_at: tx.now, seen_at: tx.now })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('credential_id', '=', credentialId)
    .where('started_at', 'is', null)
    .where('created_at', '>', since)
    .returningAll()
    .executeTakeFirst();

/** Returns undefined if the session has already ended. */
export const endShell = (
  tx: Tx,
  id: string,
  end: Pick<ShellRow, 'ended_at' | 'ending' | 'exit_code'>,
): Promise<ShellRow | undefined> =>
  tx.db
    .updateTable('shells')
    .set(end)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export async function nameComponent(tx: Tx, id: string, component: string): Promise<void> {
  await tx.db.updateTable('shells').set({ component }).where('id', '=', id).execute();
}

export async function keepSeen(tx: Tx, id: string): Promise<void> {
  await tx.db.updateTable('shells').set({ seen_at: tx.now }).where('id', '=', id).execute();
}

/** Sessions whose replica has not reported them since a time. */
export const unseenShells = (queries: Queries, since: number, max: number): Promise<ShellRow[]> =>
  queries.db
    .selectFrom('shells')
    .selectAll()
    .where('started_at', 'is not', null)
    .where('ended_at', 'is', null)
    .where('seen_at', '<', since)
    .orderBy('seen_at')
    .limit(max)
    .execute();

/** Sessions of an account that were opened since a time and that no client has connected to. */
export const countWaiting = (queries: Queries, accountId: string, since: number, atMost: number): Promise<number> =>
  countUpTo(
    queries,
    queries.db
      .selectFrom('shells')
      .select('id')
      .where('account_id', '=', accountId)
      .where('created_at', '>', since)
      .where('started_at', 'is', null),
    atMost,
  );

/** Removes sessions that no client has connected to. */
export const removeWaiting = removalOfOldest('shells', { by: 'created_at', only: sql`started_at is null` });

export type RecordedPart = Omit<Row<'shell_recordings'>, 'created_at'>;

/** Returns the number of recorded bytes that the account has in all. */
export async function appendRecording(tx: Tx, part: RecordedPart, isCut: boolean): Promise<number> {
  const { shell_id, account_id, bytes } = part;
  await tx.db
    .insertInto('shell_recordings')
    .values({ ...part, created_at: tx.now })
    .execute();
  await tx.db
    .updateTable('shells')
    .set((eb) => ({ recorded_bytes: eb('recorded_bytes', '+', bytes), ...(isCut && { recording_cut: 1 as const }) }))
    .where('id', '=', shell_id)
    .execute();
  return await addRecorded(tx, account_id, bytes);
}

export async function addRecorded(tx: Tx, accountId: string, bytes: number): Promise<number> {
  const { bytes: total } = await tx.db
    .insertInto('stored_recordings')
    .values({ account_id: accountId, bytes })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((eb) => ({
        bytes: eb('stored_recordings.bytes', '+', eb.ref('excluded.bytes')),
      })),
    )
    .returning('bytes')
    .executeTakeFirstOrThrow();
  return total;
}

/** Lists the parts of a recording without their content. */
export const partsOf = (
  queries: Queries,
  shellId: string,
  after: number,
  max: number,
): Promise<Pick<Row<'shell_recordings'>, 'number' | 'bytes'>[]> =>
  queries.db
    .selectFrom('shell_recordings')
    .select(['number', 'bytes'])
    .where('shell_id', '=', shellId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(max)
    .execute();

/** Reads the parts after one, up to another. */
export const contentOf = (
  queries: Queries,
  shellId: string,
  after: number,
  last: number,
): Promise<Pick<Row<'shell_recordings'>, 'number' | 'content'>[]> =>
  queries.db
    .selectFrom('shell_recordings')
    .select(['number', 'content'])
    .where('shell_id', '=', shellId)
    .where('number', '>', after)
    .where('number', '<=', last)
    .orderBy('number')
    .execute();
