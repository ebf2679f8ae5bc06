import { CHUNK_BYTES } from '@hortus/contract/transfer';

/**
 * Memory for chunks that is used again. Gigabytes of new buffers would make the garbage collector run all the time: it took more
 * of the processor than reading, hashing and sending together.
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

  /** Whoever gives back a chunk, or the beginning of one, does not look at it again. */
  giveBack(chunk: Buffer): void {
    this.#free.push(Buffer.from(chunk.buffer as ArrayBuffer, 0, this.size));
  }
}
