import { Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { TOMBSTONE_DAYS } from './retention.ts';
import { findTombstone, type Place, writeTombstone } from './store.ts';

const KEPT_MS = TOMBSTONE_DAYS * 24 * 3_600_000;

export interface Deletion {
  readonly accountId: string;
  readonly path: string;
  /** The only user or key that may read the answer again; undefined for all callers of the account. */
  readonly readableBy: string | undefined;
}

/**
 * Deletes, and stores the answer in the same transaction: a client that repeats the request because it lost the answer
 * gets it again while the tombstone is kept. Ids that never existed in the account stay 404.
 */
export async function repeatableDelete<Response>(
  { storage, vault }: { readonly storage: Storage; readonly vault: Vault },
  { accountId, path: url, readableBy }: Deletion,
  work: (tx: Tx) => Promise<Response>,
): Promise<Response> {
  // The path of a URL contains no space, so a personal place never equals one of the account.
  const path = readableBy === undefined ? url : `${url} ${readableBy}`;
  const place: Place = { account_id: accountId, path };
  const context = `tombstone ${path}`;
  try {
    return await storage.write(async (tx) => {
      const response = await work(tx);
      // Encrypted like answers to idempotency keys: a record may contain an address that only its account may read.
      const sealed = await vault.encrypt(tx, accountId, JSON.stringify(response), context);
      await writeTombstone(tx, { ...place, response: sealed, created_at: tx.now });
      return response;
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error;
    const [kept] = await findTombstone(storage.reader, place);
    if (!kept || kept.created_at <= Date.now() - KEPT_MS) throw error;
    return JSON.parse(await vault.decrypt(storage.reader, accountId, kept.response, context)) as Response;
  }
}
