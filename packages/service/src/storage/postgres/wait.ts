import { guardedBy } from '@hortus/contract/guarded-by';
import { currentPatience } from '../request-context.ts';
import { StorageBusy, StorageUnavailable } from '../storage.ts';

/** The waiting of one query or transaction for the database. Its limit is shared with the others of its request. */
export class Wait {
  readonly #mostMs: number;
  readonly #patience = currentPatience();
  #cause: unknown;
  #failed = false;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  /** Notes why it waits. All time counts from now until `end`, also that of runs that are lost later. */
  failed(cause: unknown): void {
    this.#cause = cause;
    if (this.#failed) return;
    this.#failed = true;
    this.#patience.begin();
  }

  end(): void {
    if (this.#failed) this.#patience.end();
    this.#failed = false;
  }

  /** Awaits it, but not longer than the time that is left. `isBusy`: because other requests use every connection. */
  async for<T>(awaited: Promise<T>, { isBusy = false } = {}): Promise<T> {
    this.#patience.begin();
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      const giveUp = () => reject(isBusy && !this.#failed ? new StorageBusy() : new StorageUnavailable(this.#cause));
      timer = setTimeout(guardedBy(reject, giveUp), Math.max(0, this.#leftMs));
    });
    try {
      return await Promise.race([awaited, over]);
    } finally {
      clearTimeout(timer);
      this.#patience.end();
    }
  }

  get #leftMs(): number {
    return this.#mostMs - this.#patience.spentMs;
  }
}
