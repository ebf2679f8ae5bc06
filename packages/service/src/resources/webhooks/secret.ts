import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { EndpointRow } from './store.ts';

/** Binds the ciphertext to its endpoint: copied to another row it does not decrypt. */
const place = (endpointId: string): string => `webhook endpoint ${endpointId}`;

export const sealSecret = (
  vault: Pick<Vault, 'encrypt'>,
  tx: Tx,
  endpoint: Pick<EndpointRow, 'id' | 'account_id'>,
  secret: string,
): Promise<string> => vault.encrypt(tx, endpoint.account_id, secret, place(endpoint.id));

/** Shorter secrets can be guessed from one signed delivery. */
const MIN_STRONG_LENGTH = 16;

export const secretWarnings = (secret: string | undefined): string[] =>
  secret === undefined || secret.length >= MIN_STRONG_LENGTH
    ? []
    : [`secret: is shorter than ${MIN_STRONG_LENGTH} characters and may be guessed; use a long random string.`];

/** Decrypts the secrets that sign now, the current one first. */
export async function openSecrets(
  vault: Pick<Vault, 'decrypt'>,
  queries: Queries,
  endpoint: EndpointRow,
  now: number,
): Promise<readonly [string, ...string[]]> {
  const { id, account_id, old_secret, old_secret_until } = endpoint;
  const present = await openSecret(vault, queries, endpoint);
  if (old_secret === null || (old_secret_until ?? 0) <= now) return [present];
  return [present, await openSecret(vault, queries, { id, account_id, secret: old_secret })];
}

export const openSecret = (
  vault: Pick<Vault, 'decrypt'>,
  queries: Queries,
  endpoint: Pick<EndpointRow, 'id' | 'account_id' | 'secret'>,
): Promise<string> => vault.decrypt(queries, endpoint.account_id, endpoint.secret, place(endpoint.id));
