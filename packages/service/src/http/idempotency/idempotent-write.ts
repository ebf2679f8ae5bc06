import { conflict, invalid } from '../../problem.ts';
import { RunAgain, type Storage, type Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { deleteKept, findKept, keepResponse, type Place, takePlace } from './store.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** How long the answer to a key is kept. */
const KEPT_MS = 24 * 60 * 60 * 1000;

export interface IdempotentRequest {
  readonly accountId: string;
  readonly method: string;
  /** Of the address, with its ids: the same key means something else elsewhere. */
  readonly path: string;
  readonly key: string;
  readonly body: unknown;
  /** The status that a success is answered with. */
  readonly status: number;
}

export interface Answer<Response> {
  readonly response: Response;
  readonly status: number;
  readonly replayed: boolean;
}

/** The key of a request, if it has one. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw invalid(IDEMPOTENCY_HEADER, 'must be 1 to 255 visible ASCII characters without spaces.');
}

/**
 * Creates once per key. The place of the key is taken first, in the transaction that creates: a second request with the
 * same key waits there for the first one to end, and then finds its answer, or a free place if the first one failed.
 */
export function idempotentWrite<Response>(
  { storage, vault }: { storage: Storage; vault: Vault },
  request: IdempotentRequest,
  work: (tx: Tx) => Promise<Response>,
): Promise<Answer<Response>> {
  const { accountId, method, path, key, status } = request;
  const place: Place = { account_id: accountId, method, path, key };
  const context = `idempotency ${method} ${path} ${key}`;
  const body = JSON.stringify(request.body ?? null);
  return storage.write(async (tx) => {
    const body_hmac = await vault.hmac(tx, accountId, body);
    const taken = { ...place, body_hmac, status, created_at: tx.now };
    let [mine] = await takePlace(tx, taken);
    if (!mine) {
      const [kept] = await findKept(tx, place);
      if (kept && kept.created_at > tx.now - KEPT_MS) {
        if (kept.body_hmac !== body_hmac) throw otherBody();
        const response = JSON.parse(await vault.decrypt(tx, accountId, kept.response, context)) as Response;
        return { response, status: kept.status, replayed: true };
      }
      if (kept) await deleteKept(tx, { ...place, created_at: kept.created_at });
      [mine] = await takePlace(tx, taken);
      if (!mine) throw new RunAgain();
    }
    const response = await work(tx);
    await keepResponse(tx, {
      ...place,
      response: await vault.encrypt(tx, accountId, JSON.stringify(response), context),
    });
    return { response, status, replayed: false };
  });
}

const otherBody = () =>
  conflict(IDEMPOTENCY_HEADER, 'idempotency_key_reused', 'was already used for a request with another body.');
