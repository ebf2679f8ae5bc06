import type { Queries, Storage, Tx } from '../storage/storage.ts';
import { admitMasterKey, type VaultSettings } from './admission.ts';
import { type DataKey, DataKeys } from './data-keys.ts';
import { type Rotation, Rotator } from './rotation.ts';
import { seal, unseal } from './sealing.ts';

/**
 * Keeps secrets. Each account has a data key of its own; the master key wraps those and nothing else. A `context` (the
 * definition and the secret's name, say) binds a ciphertext to its place: it must be given again to open it.
 */
export interface Vault {
  encrypt(tx: Tx, accountId: string, plaintext: string, context?: string): Promise<string>;
  decrypt(queries: Queries, accountId: string, ciphertext: string, context?: string): Promise<string>;
  /** Recognises a text again without keeping it; the same text of another account gives another value. */
  hmac(queries: Queries, accountId: string, text: string): Promise<string>;
  /** Wraps every data key with the newest master key, which is made first where the service keeps it itself. */
  rotate(): Promise<Rotation>;
}

/** Refuses to open with a master key that is not the database's, and ends a rotation that was cut short. */
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
    if (!data) throw new Error(`The account ${accountId} has no data key, so nothing of it can be decrypted.`);
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
    // The reader cannot make a key; a transaction of its own can.
    return found ?? (await this.#storage.write((tx) => this.#keys.findOrMake(tx, accountId)));
  }
}

const isTx = (queries: Queries): queries is Tx => 'notify' in queries;
