import { guardedBy } from '@hortus/contract/runtime/guarded-by';

export interface PollerOptions {
  /** Fetches pending work from the service. */
  poll(): Promise<void>;
  /** Whether the channel is connected and announces new work. */
  up(): boolean;
  onFailure(error: Error): void;
  upEveryMs?: number;
  downEveryMs?: number;
}

/** Polls regularly: often without the channel, seldom with it, and at once on `wake`. */
export class Poller {
  readonly #options: Required<PollerOptions>;
  #timer: NodeJS.Timeout | undefined;
  #supervising = false;
  #again = false;
  #stopped = false;

  constructor(options: PollerOptions) {
    this.#options = { upEveryMs: 30_000, downEveryMs: 5_000, ...options };
  }

  wake(): void {
    if (this.#stopped) return;
    // Work that arrived during a request may be missing from its response.
    if (this.#supervising) this.#again = true;
    else void this.#poll();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#supervising = true;
    this.#again = false;
    try {
      await this.#options.poll();
    } catch (error) {
      this.#options.onFailure(error as Error);
    }
    this.#supervising = false;
    if (this.#stopped) return;
    if (this.#again) return this.wake();
    const { up, upEveryMs, downEveryMs } = this.#options;
    const wake = () => this.wake();
    this.#timer = setTimeout(guardedBy(this.#options.onFailure, wake), up() ? upEveryMs : downEveryMs);
  }
}
