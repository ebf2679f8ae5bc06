import { createCipheriv, createDecipheriv } from 'node:crypto';

/**
 * Seals a stream of any length in chunks of AES-256-GCM; backups and bundles are built from it. Layout of a chunk: length of the
 * sealed text (4 bytes, the highest bit set on the last chunk), sealed text, tag (16 bytes). Index and last flag make up the nonce,
 * so a chunk that is missing, moved or cut off fails to open. The nonces repeat with every stream: **each stream needs a key of its
 * own**, derived from a salt that was drawn for it.
 */
const CHUNK = 1024 * 1024;
const HEAD = 4;
const TAG = 16;
const LAST = 0x8000_0000;

/** A sealed stream cannot be opened: it is truncated, or a chunk was modified. Chunks count from 1. */
export class SealBroken extends Error {
  readonly reason: 'cut' | 'changed';
  readonly chunk: number;

  constructor(reason: 'cut' | 'changed', chunk: number) {
    super(reason === 'cut' ? `it is cut off in chunk ${chunk}` : `chunk ${chunk} is damaged`);
    this.reason = reason;
    this.chunk = chunk;
  }
}

/** Yields one sealed chunk at a time, at least one even for empty content. */
export async function* sealChunks(
  key: Buffer,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  let index = 0;
  for await (const piece of content) {
    held.push(piece);
    length += piece.length;
    // Hold one chunk back: the last flag is known only at the end of the content.
    if (length <= CHUNK) continue;
    let all = Buffer.concat(held, length);
    for (; all.length > CHUNK; all = all.subarray(CHUNK)) yield seal(key, index++, false, all.subarray(0, CHUNK));
    held = [all];
    length = all.length;
  }
  yield seal(key, index, true, Buffer.concat(held, length));
}

/** Returns the next `length` bytes; fewer only at the end. */
export type ReadBytes = (length: number) => Promise<Buffer>;

/** Yields the plaintext of each chunk up to the last one, and reads nothing beyond it. Throws `SealBroken`. */
export async function* openChunks(key: Buffer, read: ReadBytes): AsyncGenerator<Buffer> {
  for (let index = 0, last = false; !last; index++) {
    const head = await read(HEAD);
    if (head.length < HEAD) throw new SealBroken('cut', index + 1);
    const stated = head.readUInt32BE();
    const length = (stated & ~LAST) >>> 0;
    last = stated >= LAST;
    if (length > CHUNK) throw new SealBroken('changed', index + 1);
    const sealed = await read(length + TAG);
    if (sealed.length < length + TAG) throw new SealBroken('cut', index + 1);
    yield open(key, index, last, sealed);
  }
}

/** Regroups pieces of any size into reads of a requested length. */
export function bytesOf(pieces: AsyncIterable<Buffer>): ReadBytes {
  const source = pieces[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let available = 0;
  return async (length) => {
    while (available < length) {
      const { value, done } = await source.next();
      if (done) break;
      held.push(value);
      available += value.length;
    }
    const all = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held, available);
    const taken = all.subarray(0, length);
    held = [all.subarray(taken.length)];
    available -= taken.length;
    return taken;
  };
}

function seal(key: Buffer, index: number, last: boolean, text: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(index, last));
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE((text.length | (last ? LAST : 0)) >>> 0);
  return Buffer.concat([head, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Buffer, index: number, last: boolean, sealed: Buffer): Buffer {
  const cipher = createDecipheriv('aes-256-gcm', key, nonce(index, last), { authTagLength: TAG });
  cipher.setAuthTag(sealed.subarray(-TAG));
  try {
    return Buffer.concat([cipher.update(sealed.subarray(0, -TAG)), cipher.final()]);
  } catch {
    throw new SealBroken('changed', index + 1);
  }
}

function nonce(index: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt8(last ? 1 : 0, 0);
  bytes.writeBigUInt64BE(BigInt(index), 4);
  return bytes;
}
