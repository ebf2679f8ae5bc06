import { createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;

export interface MasterKey {
  /** Identifies the key without revealing it. */
  readonly fingerprint: string;
  readonly key: KeyObject;
}

function masterKey(bytes: Buffer): MasterKey {
  const named = Buffer.concat([Buffer.from('hortus master key\0'), bytes]);
  return { fingerprint: hash('sha256', named, 'hex').slice(0, 16), key: createSecretKey(bytes) };
}

export const newMasterKey = (): MasterKey => masterKey(randomBytes(KEY_BYTES));

/** Parses `new,old`: the first key wraps, the others only unwrap. `source` is named in errors. */
export function parseMasterKeys(text: string, source: string): readonly [MasterKey, ...MasterKey[]] {
  const parts = text.split(',').map((part) => part.trim());
  const [first, ...others] = parts.map((part, index) => {
    const bytes = decode(part);
    if (!bytes) {
      const which = parts.length > 1 ? ` (number ${index + 1} of ${parts.length})` : '';
      throw new Error(`${source}${which} must be ${KEY_BYTES} random bytes in base64 or hex: openssl rand -base64 32`);
    }
    return masterKey(bytes);
  });
  if (!first) throw new Error(`${source} is empty.`);
  return [first, ...others];
}

export const printMasterKeys = (keys: readonly MasterKey[]): string =>
  keys.map(({ key }) => key.export().toString('base64')).join(',');

function decode(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_BYTES ? bytes : undefined;
}

/** The master keys of this process: one that wraps, and all that unwrap. */
export class MasterKeys {
  #current: MasterKey;
  readonly #known = new Map<string, MasterKey>();

  constructor(keys: readonly [MasterKey, ...MasterKey[]]) {
    for (const key of keys) this.#known.set(key.fingerprint, key);
    this.#current = keys[0];
  }

  get current(): MasterKey {
    return this.#current;
  }

  get all(): readonly MasterKey[] {
    return [...this.#known.values()];
  }

  byFingerprint(fingerprint: string): MasterKey | undefined {
    return this.#known.get(fingerprint);
  }

  /** Keeps the former keys until the process ends: a read that started before a rotation may still need them. */
  wrapWith(key: MasterKey): void {
    this.#known.set(key.fingerprint, key);
    this.#current = key;
  }
}
