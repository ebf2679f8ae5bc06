import type { SecretField } from '@hortus/contract/records/secret-fields';
import { conflict, invalid } from '../../problem.ts';
import { OutcomeUnknown, RunAgain, type Storage, StorageUnavailable, type Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { hintFor, putSecretsBack, takeSecrets } from './response-secrets.ts';
import { deleteKept, findKept, type Kept, keepResponse, type Place, takePlace } from './store.ts';

const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** How long the answer to a key is stored. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** How long its secrets are stored: enough to repeat a request whose answer was lost. */
export const SECRETS_KEPT_MS = 10 * 60 * 1000;

export interface IdempotentRequest {
  readonly accountId: string;
  /** The API key, session or server of the request: others never get this answer. */
  readonly credential: string;
  readonly method: string;
  /** Path with its ids: the key is scoped to it. */
  readonly path: string;
  readonly key: string;
  /** The body as text, or a digest of a long one: what recognises the same body. */
  readonly body: string;
  /** Status of a successful answer. */
  readonly status: number;
  /** Positions of secrets in the answer. */
  readonly secretFields: readonly SecretField[];
}

export interface WriteResult<Response> {
  readonly response: Response;
  readonly status: number;
  readonly replayed: boolean;
}

/** Returns the key of a request, if it has one. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw invalid(IDEMPOTENCY_HEADER, 'must be 1 to 255 visible ASCII characters without spaces.');
}

/**
 * Runs the work once per key. Inserts the key first, in the same transaction: a concurrent request with the same key
 * waits for that transaction, and then finds its answer, or no row if it was rolled back. Secrets are stored
 * separately, so that they can be deleted long before the rest of the answer.
 */
export function idempotentWrite<Response>(
  { storage, vault }: { storage: Storage; vault: Vault },
  request: IdempotentRequest,
  work: (tx: Tx) => Promise<Response>,
): Promise<WriteResult<Response>> {
  const { accountId, credential, method, path, key, body, status, secretFields } = request;
  const place: Place = { account_id: accountId, credential, method, path, key };
  const context = `idempotency ${credential} ${method} ${path} ${key}`;
  const seal = (tx: Tx, what: string, value: unknown) =>
    vault.encrypt(tx, accountId, JSON.stringify(value), `${context} ${what}`);
  const open = async (tx: Tx, what: string, sealed: string) =>
    JSON.parse(await vault.decrypt(tx, accountId, sealed, `${context} ${what}`));

  const replay = async (tx: Tx, kept: Kept): Promise<Response> => {
    const response = await open(tx, 'response', kept.response);
    if (secretFields.length === 0) return response;
    if (kept.secrets === null || kept.created_at <= tx.now - SECRETS_KEPT_MS)
      return { ...response, hint: hintFor(secretFields) };
    return putSecretsBack(response, secretFields, await open(tx, 'secrets', kept.secrets)) as Response;
  };

  const once = async (tx: Tx): Promise<WriteResult<Response>> => {
    const body_hmac = await vault.hmac(tx, accountId, body);
    const taken = { ...place, body_hmac, status, created_at: tx.now };
    let [mine] = await takePlace(tx, taken);
    if (!mine) {
      const [kept] = await findKept(tx, place);
      if (kept && kept.created_at > tx.now - KEPT_MS) {
        if (kept.body_hmac !== body_hmac) throw otherBody();
        return { response: await replay(tx, kept), status: kept.status, replayed: true };
      }
      if (kept) await deleteKept(tx, { ...place, created_at: kept.created_at });
      [mine] = await takePlace(tx, taken);
      if (!mine) throw new RunAgain();
    }
    const response = await work(tx);
    const { open: withoutSecrets, secrets } = takeSecrets(response, secretFields);
    await keepResponse(tx, {
      ...place,
      response: await seal(tx, 'response', withoutSecrets),
      secrets: secrets.length > 0 ? await seal(tx, 'secrets', secrets) : null,
    });
    return { response, status, replayed: false };
  };
  return storage.write(once).catch((error) => {
    if (!(error instanceof OutcomeUnknown)) throw error;
    // Safe to repeat: if the first run was committed, the second finds its answer; while the first is still being
    // committed, the second waits for its row. Without a database the outcome of the first stays unknown.
    return storage.write(once).catch((again) => {
      throw again instanceof StorageUnavailable ? error : again;
    });
  });
}

const otherBody = () =>
  conflict(IDEMPOTENCY_HEADER, 'idempotency_key_reused', 'was already used for a request with another body.');
