import type { Readable } from 'node:stream';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { ChunkMemory } from './chunk-memory.ts';
import { Cutter, type NamedChunk } from './cut.ts';

/**
 * Cuts a stream into chunks. It copies pieces in the data listener, which costs a third of awaiting them one by one,
 * and reads at most one chunk ahead.
 */
export class Chunks {
  readonly #content: Readable;
  readonly #ready: NamedChunk[] = [];
  #ended = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** `key` is used for the names of the chunks. */
  constructor(content: Readable, key: Buffer | undefined, memory: ChunkMemory) {
    this.#content = content;
    const cutter = new Cutter(key, memory);
    const fail = (error: Error) => this.#fail(error);
    const take = (piece: Buffer) => this.#add(cutter.take(piece));
    const end = () => {
      this.#ended = true;
      this.#add(cutter.end());
    };
    const closed = () => {
      if (!this.#ended) this.#fail(new Error('The source was closed before it ended.'));
    };
    content.on('data', guardedBy(fail, take));
    content.on('error', fail);
    content.on('end', guardedBy(fail, end));
    content.on('close', guardedBy(fail, closed));
  }

  /** Undefined at the end. */
  async next(): Promise<NamedChunk | undefined> {
    while (this.#ready.length === 0) {
      if (this.#failure) throw this.#failure;
      if (this.#ended) return undefined;
      this.#content.resume();
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    const chunk = this.#ready.shift();
    if (this.#ready.length === 0) this.#content.resume();
    return chunk;
  }

  #add(chunks: readonly NamedChunk[]): void {
    this.#ready.push(...chunks);
    if (this.#ready.length > 0) this.#content.pause();
    this.#wake?.();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }
}
