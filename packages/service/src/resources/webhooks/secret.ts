import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { EndpointRow } from './store.ts';

/** Binds the ciphertext to its endpoint: copied into another row it does not open. */
const place = (endpointId: string): string => `webhook endpoint ${endpointId}`;

export const sealSecret = (
  vault: Pick<Vault, 'encrypt'>,
  tx: Tx,
  endpoint: Pick<EndpointRow, 'id' | 'account_id'>,
  secret: string,
): Promise<string> => vault.encrypt(tx, endpoint.account_id, secret, place(endpoint.id));

export const openSecret = (
  vault: Pick<Vault, 'decrypt'>,
  queries: Queries,
  endpoint: Pick<EndpointRow, 'id' | 'account_id' | 'secret'>,
): Promise<string> => vault.decrypt(queries, endpoint.account_id, endpoint.secret, place(endpoint.id));
