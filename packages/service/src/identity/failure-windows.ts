const WINDOW_MS = 15 * 60_000;
/** Maximum number of keys. */
export const MAX_KEPT = 20_000;
/** Number of the oldest windows that are compared when one is dropped. */
const COMPARED = 16;

interface Window {
  readonly endsAt: number;
  failures: number;
}

/**
 * Counts failures by key for 15 minutes from the first one. Memory is bounded: when full, it drops the window with the
 * fewest failures among the oldest ones, so that a flood of new keys does not erase the count of a key under attack.
 */
export class FailureWindows {
  readonly #windows = new Map<string, Window>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Returns the count including this failure. */
  add(key: string): number {
    const window = this.#current(key) ?? this.#open(key);
    return ++window.failures;
  }

  takeBack(key: string): void {
    const window = this.#current(key);
    if (window && --window.failures === 0) this.#windows.delete(key);
  }

  clear(key: string): void {
    this.#windows.delete(key);
  }

  /** Returns the seconds until the window ends, or undefined while it has fewer failures than `max`. */
  secondsToWait(key: string, max: number): number | undefined {
    const window = this.#current(key);
    return window && window.failures >= max ? Math.ceil((window.endsAt - this.#clock()) / 1000) : undefined;
  }

  #current(key: string): Window | undefined {
    const window = this.#windows.get(key);
    return window && window.endsAt > this.#clock() ? window : undefined;
  }

  #open(key: string): Window {
    // Map keeps the order of insertion, so an expired window of the same key must not keep its place.
    this.#windows.delete(key);
    if (this.#windows.size >= MAX_KEPT) this.#dropOne();
    const window = { endsAt: this.#clock() + WINDOW_MS, failures: 0 };
    this.#windows.set(key, window);
    return window;
  }

  #dropOne(): void {
    let min: { readonly key: string; readonly failures: number } | undefined;
    for (const [key] of this.#windows.entries().take(COMPARED)) {
      const failures = this.#current(key)?.failures ?? 0;
      if (!min || failures < min.failures) min = { key, failures };
    }
    if (min) this.#windows.delete(min.key);
  }
}
