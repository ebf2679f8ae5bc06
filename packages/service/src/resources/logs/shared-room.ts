/** Bytes a second that all watchers together are sent. Without a limit, many watchers of a chatty instance would take the time of everyone else. */
const BYTES_PER_SECOND = 20 * 1024 * 1024;
/**
 * Bytes that quiet times leave for later: after a stall of a server its lines arrive together, and none of them should be
 * left out. Small enough that sending them at once does not delay others noticeably.
 */
const MAX_SAVED = 16 * 1024 * 1024;
const MIN_SHARE = 4 * 1024;

/** Limits what the watchers of all logs are sent together, over time. */
export class SharedRoom {
  readonly #clock: () => number;
  #bytes = MAX_SAVED;
  #at: number;

  /** `clock` counts milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#at = clock();
  }

  /** Returns the bytes that each of so many watchers may be sent now. */
  share(watchers: number): number {
    const now = this.#clock();
    this.#bytes = Math.min(MAX_SAVED, this.#bytes + ((now - this.#at) / 1_000) * BYTES_PER_SECOND);
    this.#at = now;
    return Math.max(MIN_SHARE, Math.floor(this.#bytes / Math.max(1, watchers)));
  }

  spend(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes - bytes);
  }
}
