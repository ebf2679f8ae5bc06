import type { Queries, Tx } from '../../storage/storage.ts';

/** Setting with the key pair, its private half sealed. */
const SIGNING_KEY = 'manifest_signing_key';

export async function keptSigningKey(queries: Queries): Promise<string | undefined> {
  const row = await queries.db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SIGNING_KEY)
    .executeTakeFirst();
  return row?.value;
}

/** Keeps an existing key: the first replica wins. */
export async function claimSigningKey(tx: Tx, value: string): Promise<void> {
  await tx.db
    .insertInto('settings')
    .values({ name: SIGNING_KEY, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}
