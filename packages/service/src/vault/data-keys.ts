import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Queries, Storage, Tx } from '../storage/storage.ts';
import { KEY_BYTES, type MasterKeys } from './master-key.ts';
import { seal, unseal } from './sealing.ts';
import { insertWrappedKey, type WrappedKey, wrappedKeyOf } from './store.ts';

/** The unwrapped key of an account. It never changes; only the master key that wraps it does. */
export class DataKey {
  readonly key: KeyObject;
  #hmacKey: KeyObject | undefined;

  constructor(bytes: Buffer) {
    this.key = createSecretKey(bytes);
  }

  hmac(text: string): string {
    // Derive a separate key, because the encryption key must not be used for authentication.
    this.#hmacKey ??= createSecretKey(Buffer.from(hkdfSync('sha256', this.key, '', 'hortus hmac', KEY_BYTES)));
    return createHmac('sha256', this.#hmacKey).update(text).digest('base64url');
  }
}

const boundTo = (accountId: string): string => `data key\0${accountId}`;

export function wrap(keys: MasterKeys, accountId: string, bytes: Buffer): WrappedKey {
  const { key, fingerprint } = keys.current;
  return { account_id: accountId, wrapped: seal(key, bytes, boundTo(accountId)), master: fingerprint };
}

export function unwrap(keys: MasterKeys, row: WrappedKey): Buffer {
  const master = keys.byFingerprint(row.master);
  if (!master) {
    throw new Error(
      `A data key is wrapped by the master key ${row.master}, which HORTUS_MASTER_KEY of this process does not contain.`,
    );
  }
  return unseal(master.key, row.wrapped, boundTo(row.account_id));
}

/** Limit of cached keys; installations with more active accounts can afford to unwrap keys again. */
const MAX_KEPT = 10_000;

/**
 * The data keys of all accounts, unwrapped once. The cache beyond a transaction is filled only by the reader, which
 * sees only committed rows: a key of a transaction that is rolled back, or of a lost batch, must not outlive it,
 * because everything sealed with it would be lost.
 */
export class DataKeys {
  readonly #storage: Storage;
  readonly #masters: MasterKeys;
  readonly #kept = new Map<string, DataKey>();
  readonly #ofTransaction = new WeakMap<Queries, Map<string, DataKey>>();
  readonly #learning = new Set<string>();

  constructor(storage: Storage, masters: MasterKeys) {
    this.#storage = storage;
    this.#masters = masters;
  }

  /** Returns a cached key. */
  kept(accountId: string): DataKey | undefined {
    return this.#kept.get(accountId);
  }

  /** Returns undefined if the account has no key yet. */
  async find(queries: Queries, accountId: string): Promise<DataKey | undefined> {
    const known = this.#kept.get(accountId) ?? this.#ofTransaction.get(queries)?.get(accountId);
    if (known) return known;
    const row = await wrappedKeyOf(queries, accountId);
    if (!row) return undefined;
    const key = new DataKey(unwrap(this.#masters, row));
    if (queries === this.#storage.reader) this.#keep(accountId, key);
    else {
      this.#remember(queries, accountId, key);
      this.#learn(accountId);
    }
    return key;
  }

  async findOrMake(tx: Tx, accountId: string): Promise<DataKey> {
    const found = await this.find(tx, accountId);
    if (found) return found;
    await insertWrappedKey(tx, wrap(this.#masters, accountId, randomBytes(KEY_BYTES)));
    // Read it back, because another replica may have been faster; its key is then the account's.
    const made = await this.find(tx, accountId);
    if (!made) throw new Error('A data key was written but cannot be read.');
    return made;
  }

  #remember(tx: Queries, accountId: string, key: DataKey): void {
    const keys = this.#ofTransaction.get(tx) ?? new Map<string, DataKey>();
    this.#ofTransaction.set(tx, keys.set(accountId, key));
  }

  #keep(accountId: string, key: DataKey): void {
    if (this.#kept.size >= MAX_KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.set(accountId, key);
  }

  /**
   * Runs beside the transaction, which does not await it. If the row is not committed yet, the next transaction tries
   * again.
   */
  #learn(accountId: string): void {
    if (this.#learning.has(accountId)) return;
    this.#learning.add(accountId);
    // A failure only costs the cache entry; the transaction will meet the same error itself.
    this.find(this.#storage.reader, accountId)
      .catch(() => undefined)
      .finally(() => this.#learning.delete(accountId));
  }
}
