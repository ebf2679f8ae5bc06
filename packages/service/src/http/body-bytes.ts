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
  readonly #most: number;

  /** Expects at most `most` bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    if (this.#length === 0) this.#only = chunk;
    else {
      if (this.#only) this.#copy(this.#only, 0);
      this.#only = undefined;
      this.#copy(chunk, this.#length);
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

  #copy(chunk: Buffer, at: number): void {
    const needed = at + chunk.length;
    const size = this.#memory?.length ?? 0;
    if (needed > size) this.#grow(Math.max(needed, Math.min(this.#most, Math.max(FIRST_BYTES, size * GROWTH))));
    (this.#memory as Buffer).set(chunk, at);
  }

  /** Moves the bytes; the former memory is freed at once, not by the next collection. */
  #grow(size: number): void {
    this.#memory = Buffer.from(this.#memory?.buffer.transfer(size) ?? new ArrayBuffer(size));
  }
}
