import { Problem } from '../problem.ts';

const WINDOW_MS = 15 * 60_000;
/** For one email from one address; and for all emails from one address, against trying one password on everybody. */
export const MOST_FAILURES = 10;
const MOST_FOR_ADDRESS = 100;
const MOST_KEPT = 20_000;

interface Window {
  readonly endsAt: number;
  failures: number;
}

/**
 * Bounds how many wrong passwords may be tried. It counts an attempt before the password is looked at, so that many at
 * once do not slip through, and takes the count back when it was right. Each replica counts for itself.
 */
export class LoginThrottle {
  readonly #windows = new Map<string, Window>();
  readonly #clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** Answers how many attempts this window has seen for the pair, this one included. */
  attempt(address: string, email: string): number {
    const ofAddress = this.#window(address);
    const ofPair = this.#window(pair(address, email));
    for (const [window, most] of [
      [ofAddress, MOST_FOR_ADDRESS],
      [ofPair, MOST_FAILURES],
    ] as const) {
      if (window.failures < most) continue;
      const retryAfter = Math.max(1, Math.ceil((window.endsAt - this.#clock()) / 1000));
      throw new Problem('RATE_LIMITED', 'Too many failed attempts to sign in.', { retry_after: retryAfter });
    }
    ofAddress.failures++;
    return ++ofPair.failures;
  }

  succeeded(address: string, email: string): void {
    const ofAddress = this.#window(address);
    ofAddress.failures = Math.max(0, ofAddress.failures - 1);
    this.#windows.delete(pair(address, email));
  }

  #window(key: string): Window {
    const now = this.#clock();
    const known = this.#windows.get(key);
    if (known && known.endsAt > now) return known;
    this.#windows.delete(key);
    if (this.#windows.size >= MOST_KEPT) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    const window = { endsAt: now + WINDOW_MS, failures: 0 };
    this.#windows.set(key, window);
    return window;
  }
}

const pair = (address: string, email: string): string => `${address} ${email}`;
