import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/**
 * How a part of a backup lies on disk or in a bucket: a mark, then chunks, each sealed with AES-256-GCM under a key of its
 * part. Number and last flag of a chunk are sealed with it, so that chunks cannot be left out, exchanged or cut off
 * unnoticed, and a damaged one is known by its number. Layout of a chunk: length of the sealed text (4 bytes, the highest bit
 * set on the last one), sealed text, tag (16 bytes).
 */
const MARK = Buffer.from('HORTUSB1');
const CHUNK = 1024 * 1024;
const TAG = 16;
const LAST = 0x8000_0000;

/** A part of a backup cannot be read; the message names the part and the chunk. */
export class DamagedPart extends Error {}

/** No two parts share a key, so numbering the chunks from nought repeats no nonce. */
export function partKey(backupKey: Buffer, backupId: string, file: string): Buffer {
  return Buffer.from(hkdfSync('sha256', backupKey, '', `hortus backup ${backupId} ${file}`, 32));
}

function nonce(index: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt8(last ? 1 : 0, 0);
  bytes.writeBigUInt64BE(BigInt(index), 4);
  return bytes;
}

/** Collects bytes until there are enough of them. */
class Collected {
  #parts: Buffer[] = [];
  length = 0;

  add(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.length += bytes.length;
  }

  take(length: number): Buffer {
    const all = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.length);
    this.#parts = all.length === length ? [] : [all.subarray(length)];
    this.length -= length;
    return all.subarray(0, length);
  }
}

export class SealChunks extends Transform {
  readonly #key: Buffer;
  readonly #held = new Collected();
  chunks = 0;

  constructor(key: Buffer) {
    super();
    this.#key = key;
  }

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#held.add(bytes);
    // One chunk is always held back: whether it is the last is known only at the end.
    while (this.#held.length > CHUNK) this.#seal(this.#held.take(CHUNK), false);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#seal(this.#held.take(this.#held.length), true);
    done();
  }

  #seal(text: Buffer, last: boolean): void {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce(this.chunks, last));
    const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE((sealed.length | (last ? LAST : 0)) >>> 0);
    if (this.chunks === 0) this.push(MARK);
    this.push(Buffer.concat([head, sealed, cipher.getAuthTag()]));
    this.chunks++;
  }
}

export class OpenChunks extends Transform {
  readonly #key: Buffer;
  readonly #what: string;
  readonly #held = new Collected();
  #reading: 'mark' | 'head' | 'body' | 'end' = 'mark';
  #wanted = MARK.length;
  #last = false;
  chunks = 0;

  /** `what` is how an error names the part: `volume data`. */
  constructor(key: Buffer, what: string) {
    super();
    this.#key = key;
    this.#what = what;
  }

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#held.add(bytes);
    try {
      while (this.#reading !== 'end' && this.#held.length >= this.#wanted) this.#next(this.#held.take(this.#wanted));
      if (this.#reading === 'end' && this.#held.length > 0) throw this.#damaged('something follows its last chunk');
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    done(this.#reading === 'end' ? null : this.#damaged(`it is cut off in chunk ${this.chunks + 1}`));
  }

  #next(bytes: Buffer): void {
    if (this.#reading === 'mark') {
      if (!bytes.equals(MARK)) throw this.#damaged('it does not begin as one');
      this.#expect('head', 4);
    } else if (this.#reading === 'head') {
      const head = bytes.readUInt32BE();
      const length = head & ~LAST;
      this.#last = head >= LAST;
      if (length > CHUNK) throw this.#damaged(`chunk ${this.chunks + 1} is damaged`);
      this.#expect('body', length + TAG);
    } else {
      this.push(this.#open(bytes));
      this.chunks++;
      this.#expect(this.#last ? 'end' : 'head', 4);
    }
  }

  #expect(reading: 'head' | 'body' | 'end', wanted: number): void {
    this.#reading = reading;
    this.#wanted = wanted;
  }

  #open(bytes: Buffer): Buffer {
    const opened = createDecipheriv('aes-256-gcm', this.#key, nonce(this.chunks, this.#last));
    opened.setAuthTag(bytes.subarray(-TAG));
    try {
      return Buffer.concat([opened.update(bytes.subarray(0, -TAG)), opened.final()]);
    } catch {
      throw this.#damaged(`chunk ${this.chunks + 1} is damaged`);
    }
  }

  #damaged(why: string): DamagedPart {
    return new DamagedPart(`The backup of ${this.#what} cannot be used: ${why}.`);
  }
}
