import { guardedBy } from '@hortus/contract/guarded-by';

export interface PollerOptions {
  /** Fetches pending work from the service. */
  look(): Promise<void>;
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
  #looking = false;
  #again = false;
  #stopped = false;

  constructor(options: PollerOptions) {
    this.#options = { upEveryMs: 30_000, downEveryMs: 5_000, ...options };
  }

  wake(): void {
    if (this.#stopped) return;
    // Work that arrived during a request may be missing from its response.
    if (this.#looking) this.#again = true;
    else void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#looking = true;
    this.#again = false;
    try {
      await this.#options.look();
    } catch (error) {
      this.#options.onFailure(error as Error);
    }
    this.#looking = false;
    if (this.#stopped) return;
    if (this.#again) return this.wake();
    const { up, upEveryMs, downEveryMs } = this.#options;
    const wake = () => this.wake();
    this.#timer = setTimeout(guardedBy(this.#options.onFailure, wake), up() ? upEveryMs : downEveryMs);
  }
}
