import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { currentDatabaseWait } from '../request-context.ts';
import { StorageBusy, StorageUnavailable } from '../storage.ts';

/** The waiting of one query or transaction for the database. Its limit is shared with the others of its request. */
export class Wait {
  readonly #maxMs: number;
  readonly #databaseWait = currentDatabaseWait();
  #cause: unknown;
  #failed = false;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Notes why it waits. All time counts from now until `end`, also that of runs that are lost later. */
  failed(cause: unknown): void {
    this.#cause = cause;
    if (this.#failed) return;
    this.#failed = true;
    this.#databaseWait.begin();
  }

  end(): void {
    if (this.#failed) this.#databaseWait.end();
    this.#failed = false;
  }

  /** Awaits it, but not longer than the time that is left. `isBusy`: because other requests use every connection. */
  async for<T>(awaited: Promise<T>, { isBusy = false } = {}): Promise<T> {
    this.#databaseWait.begin();
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      const giveUp = () => reject(isBusy && !this.#failed ? new StorageBusy() : new StorageUnavailable(this.#cause));
      timer = setTimeout(guardedBy(reject, giveUp), Math.max(0, this.#leftMs));
    });
    try {
      return await Promise.race([awaited, over]);
    } finally {
      clearTimeout(timer);
      this.#databaseWait.end();
    }
  }

  get #leftMs(): number {
    return this.#maxMs - this.#databaseWait.spentMs;
  }
}
