import { guardedBy } from '@hortus/client/guard';

export interface PollerOptions {
  /** Asks the service what there is to do. */
  look(): Promise<void>;
  /** Whether the channel would tell us by itself. */
  up(): boolean;
  onFailure(error: Error): void;
  upEveryMs?: number;
  downEveryMs?: number;
}

/** Asks regularly; often while the channel is down, seldom while it is up, and at once when it is woken. */
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
    // What came up while an answer was on its way may not be in it.
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
