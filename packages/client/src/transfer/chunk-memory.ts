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

/**
 * Lets go of the memory of a buffer at once, instead of when the garbage collector comes by. Only of one that has its memory for
 * itself: what shares it with others is left as it is.
 */
export function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
