import { CHUNK_BYTES } from '@hortus/contract/protocol/transfer';

/**
 * Pools chunk buffers. Allocating gigabytes of new buffers kept the garbage collector busy: it used more CPU than
 * reading, hashing and sending together.
 */
export class ChunkMemory {
  readonly size: number;
  readonly #free: Buffer[] = [];

  constructor(size = CHUNK_BYTES) {
    this.size = size;
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  /** Returns a chunk, or a prefix of one, to the pool; the caller must not use it afterwards. */
  giveBack(chunk: Buffer): void {
    this.#free.push(Buffer.from(chunk.buffer as ArrayBuffer, 0, this.size));
  }
}
