import { hash } from 'node:crypto';

const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Keeps the latest results of a function of its key. Keys are hashed, because they contain inputs of any length. */
export class KeptResults<Result> {
  readonly #kept = new Map<string, { readonly result: Result; readonly size: number }>();
  #size = 0;
  readonly #most: number;

  constructor(most = MOST_CHARACTERS) {
    this.#most = most;
  }

  get(key: string): Result | undefined {
    return this.#kept.get(hash('sha256', key))?.result;
  }

  keep(key: string, result: Result): void {
    const size = JSON.stringify(result).length;
    const name = hash('sha256', key);
    if (this.#kept.has(name) || size > this.#most) return;
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#size + size <= this.#most) break;
      this.#kept.delete(oldest);
      this.#size -= freed;
    }
    this.#kept.set(name, { result, size });
    this.#size += size;
  }
}
