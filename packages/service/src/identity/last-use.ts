import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { Storage } from '../storage/storage.ts';
import { recordUse } from './store.ts';

const FLUSH_EVERY_MS = 30_000;

/**
 * Remembers when each key and session was last used and writes it periodically: a write per request would cost more
 * than the request.
 */
export class LastUse {
  readonly #storage: Storage;
  readonly #timer: NodeJS.Timeout;
  #seen = new Map<string, number>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(storage: Storage) {
    this.#storage = storage;
    // Failed writes are retried with the next round.
    const ignore = () => undefined;
    this.#timer = setInterval(
      guardedBy(ignore, () => this.flush()),
      FLUSH_EVERY_MS,
    );
    this.#timer.unref();
  }

  saw(id: string, at: number): void {
    this.#seen.set(id, at);
  }

  /** Returns the last use that is not written yet, 0 if there is none. */
  at(id: string): number {
    return this.#seen.get(id) ?? 0;
  }

  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#write());
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(): Promise<void> {
    if (this.#seen.size === 0) return;
    const seen = this.#seen;
    this.#seen = new Map();
    // Sorted by id, so that two concurrent replicas wait for each other instead of deadlocking.
    const uses = [...seen].sort(([a], [b]) => (a < b ? -1 : 1));
    try {
      await this.#storage.write(async (tx) => {
        for (const [keyId, at] of uses) await recordUse(tx, keyId, at);
      });
    } catch (error) {
      for (const [keyId, at] of uses) if (!this.#seen.has(keyId)) this.#seen.set(keyId, at);
      throw error;
    }
  }
}
