import type { Queries, Storage, Tx } from '../storage/storage.ts';
import { admitMasterKey, type VaultSettings } from './admission.ts';
import { type DataKey, DataKeys } from './data-keys.ts';
import { type Rotation, Rotator } from './rotation.ts';
import { seal, unseal } from './sealing.ts';

/**
 * Encrypts secrets. Each account has its own data key; the master key wraps only data keys. A `context` (for example
 * the definition and the name of the secret) binds a ciphertext to its place and must be given again for decryption.
 */
export interface Vault {
  encrypt(tx: Tx, accountId: string, plaintext: string, context?: string): Promise<string>;
  decrypt(queries: Queries, accountId: string, ciphertext: string, context?: string): Promise<string>;
  /** Returns a keyed hash to recognize a text without storing it; it differs between accounts. */
  hmac(queries: Queries, accountId: string, text: string): Promise<string>;
  /** Wraps every data key with the newest master key, which is generated first if the service manages it. */
  rotate(): Promise<Rotation>;
}

/** Opens the vault. Throws if the master key is not that of the database; finishes an interrupted rotation. */
export async function openVault(storage: Storage, settings: VaultSettings): Promise<Vault> {
  const admitted = await admitMasterKey(storage, settings);
  const rotator = new Rotator(storage, admitted);
  await rotator.resume();
  return new SealedVault(storage, new DataKeys(storage, admitted.keys), rotator);
}

const boundTo = (accountId: string, context: string): string => `secret\0${accountId}\0${context}`;

class SealedVault implements Vault {
  readonly #storage: Storage;
  readonly #keys: DataKeys;
  readonly #rotator: Rotator;

  constructor(storage: Storage, keys: DataKeys, rotator: Rotator) {
    this.#storage = storage;
    this.#keys = keys;
    this.#rotator = rotator;
  }

  async encrypt(tx: Tx, accountId: string, plaintext: string, context = ''): Promise<string> {
    const { key } = this.#keys.kept(accountId) ?? (await this.#keys.findOrMake(tx, accountId));
    return seal(key, plaintext, boundTo(accountId, context));
  }

  async decrypt(queries: Queries, accountId: string, ciphertext: string, context = ''): Promise<string> {
    const data = this.#keys.kept(accountId) ?? (await this.#keys.find(queries, accountId));
    if (!data) throw new Error(`The account ${accountId} has no data key, so its secrets cannot be decrypted.`);
    return unseal(data.key, ciphertext, boundTo(accountId, context)).toString('utf8');
  }

  async hmac(queries: Queries, accountId: string, text: string): Promise<string> {
    const data = this.#keys.kept(accountId) ?? (await this.#forHmac(queries, accountId));
    return data.hmac(text);
  }

  rotate(): Promise<Rotation> {
    return this.#rotator.rotate();
  }

  async #forHmac(queries: Queries, accountId: string): Promise<DataKey> {
    if (isTx(queries)) return await this.#keys.findOrMake(queries, accountId);
    const found = await this.#keys.find(queries, accountId);
    // The reader cannot create a key; a separate transaction can.
    return found ?? (await this.#storage.write((tx) => this.#keys.findOrMake(tx, accountId)));
  }
}

const isTx = (queries: Queries): queries is Tx => 'notify' in queries;
