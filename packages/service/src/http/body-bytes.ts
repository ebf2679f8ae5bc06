const FIRST_BYTES = 64 * 1024;
const GROWTH = 4;

/**
 * Collects a body in one piece of memory that grows. Chunks that are kept until the end reach the old generation of the heap,
 * where only a full collection frees them: a flood of large bodies then causes several of those each second. Tiny chunks would
 * also keep the larger block of memory alive that the socket read them into.
 */
export class BodyBytes {
  /** A body of one chunk, the most frequent kind, is not copied. */
  #only: Buffer | undefined;
  #memory: Buffer<ArrayBuffer> | undefined;
  #length = 0;
  readonly #max: number;

  /** Expects at most `max` bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the bytes of memory that a chunk of this length takes, which can be more than its own. */
  costOf(chunkBytes: number): number {
    if (this.#length === 0) return chunkBytes;
    const now = this.#only ?? this.#memory;
    return this.#sizeFor(this.#length + chunkBytes) - (now?.length ?? 0);
  }

  add(chunk: Buffer): void {
    if (this.#length === 0) this.#only = chunk;
    else {
      const memory = this.#reserve(this.#length + chunk.length);
      if (this.#only) memory.set(this.#only);
      this.#only = undefined;
      memory.set(chunk, this.#length);
    }
    this.#length += chunk.length;
  }

  /** Returns the body, without memory that it does not use, so that it can be transferred to another thread. */
  take(): Buffer {
    if (this.#only) return this.#only;
    return this.#memory ? Buffer.from(this.#memory.buffer.transfer(this.#length)) : Buffer.alloc(0);
  }

  /** Frees the memory of a refused body at once; the collector would wait for the next full collection. */
  drop(): void {
    this.#only = undefined;
    this.#memory?.buffer.transfer(0);
    this.#memory = undefined;
  }

  /** Moves the bytes if they need more memory; the former one is freed at once, not by the next collection. */
  #reserve(bytes: number): Buffer {
    const size = this.#sizeFor(bytes);
    if (!this.#memory || size > this.#memory.length)
      this.#memory = Buffer.from(this.#memory?.buffer.transfer(size) ?? new ArrayBuffer(size));
    return this.#memory;
  }

  #sizeFor(bytes: number): number {
    const size = this.#memory?.length ?? 0;
    if (bytes <= size) return size;
    return Math.max(bytes, Math.min(this.#max, Math.max(FIRST_BYTES, size * GROWTH)));
  }
}
