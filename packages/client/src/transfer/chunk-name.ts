import { type CipherGCM, createCipheriv, createHash, type Hash } from 'node:crypto';
import { CHUNK_BYTES, type FromSender } from '@hortus/contract/transfer';

type Offer = Extract<FromSender, { type: 'offer' }>;

export interface OfferedChunk {
  readonly index: number;
  readonly name: string;
  readonly length: number;
}

const KEY_BYTES = 32;
const NONCE = Buffer.alloc(12);
const SHA256_DIGITS = 64;

/**
 * The name by which the ends of a transfer know a chunk, and see whether it arrived whole: its AES-256-GMAC under a key that the
 * receiver has drawn. Two that differ have the same with a chance of 2^-110, however they came about, because nobody knew the key.
 * It costs a sixteenth of SHA-256, which was half of all that a transfer cost. Without a key, for an end that knows of none: SHA-256.
 *
 * One nonce for all is right here: it is a checksum, which only has to be the same for the same bytes. Whoever has seen several can
 * make two chunks of one name, and spoil what he sends himself.
 */
export class Naming {
  readonly #hash: Hash | undefined;
  readonly #mac: CipherGCM | undefined;

  constructor(key: Buffer | undefined) {
    if (key) this.#mac = createCipheriv('aes-256-gcm', key, NONCE);
    else this.#hash = createHash('sha256');
  }

  /** Of a chunk that is to have this name, whichever of the two it is. */
  static like(name: string, key: Buffer | undefined): Naming {
    return new Naming(name.length === SHA256_DIGITS ? undefined : key);
  }

  /** The next bytes of the chunk, while they are still in the cache of the processor: from memory it takes four times as long. */
  add(bytes: Buffer): this {
    this.#mac?.setAAD(bytes);
    this.#hash?.update(bytes);
    return this;
  }

  /** Once, when all has been added. */
  name(): string {
    if (!this.#mac) return (this.#hash as Hash).digest('hex');
    this.#mac.final();
    return this.#mac.getAuthTag().toString('hex');
  }
}

/** Whether it is called that. */
export const isCalled = (bytes: Buffer, name: string, key: Buffer | undefined): boolean =>
  Naming.like(name, key).add(bytes).name() === name;

/** As the receiver says it; undefined if he says none. */
export function keyIn({ key }: { readonly key?: string }): Buffer | undefined {
  if (key === undefined) return undefined;
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error('The key for the names of chunks has another length than it should.');
  return bytes;
}

/** One hash for the whole: over the names of its chunks, in their order. */
export function digestOf(chunks: Iterable<{ readonly name: string }>): string {
  const hash = createHash('sha256');
  for (const { name } of chunks) hash.update(name);
  return hash.digest('hex');
}

/** A chunk that the other end offers. Its name becomes that of a file and its length is made room for, so both are looked at. */
export function chunkOffered({ index, mac, sha256, length }: Offer): OfferedChunk {
  const name = mac ?? sha256 ?? '';
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/.test(name)) throw new Error('A chunk was offered without a name.');
  if (!(length > 0 && length <= CHUNK_BYTES)) throw new Error('A chunk was offered that is none.');
  return { index, name, length };
}
