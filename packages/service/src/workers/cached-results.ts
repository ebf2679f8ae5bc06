import { hash } from 'node:crypto';

const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Keeps the latest results of a function of its key. Keys are hashed, because they contain inputs of any length. */
export class CachedResults<Result> {
  readonly #kept = new Map<string, { readonly result: Result; readonly size: number }>();
  #size = 0;
  readonly #max: number;

  constructor(max = MAX_CHARACTERS) {
    this.#max = max;
  }

  get(key: string): Result | undefined {
    return this.#kept.get(hash('sha256', key))?.result;
  }

  keep(key: string, result: Result): void {
    const size = JSON.stringify(result).length;
    const name = hash('sha256', key);
    if (this.#kept.has(name) || size > this.#max) return;
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#size + size <= this.#max) break;
      this.#kept.delete(oldest);
      this.#size -= freed;
    }
    this.#kept.set(name, { result, size });
    this.#size += size;
  }
}
