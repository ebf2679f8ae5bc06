/** Maximum age of a value, and the age from which it is renewed. */
const STALE_AFTER_MS = 10_000;
const RENEW_AFTER_MS = 5_000;
const MAX_KEPT = 1_000;

interface Kept<Value> {
  readonly value: Value;
  readonly at: number;
}

/**
 * Keeps values that cost a read of many rows for 10 seconds, and renews them in the background during the last five: those that are
 * requested frequently are never waited for. Concurrent callers share a read.
 */
export class RecentValues<Value> {
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #reading = new Map<string, Promise<Value>>();
  readonly #clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  has(key: string): boolean {
    return this.#ageOf(key) < STALE_AFTER_MS;
  }

  /** Returns the kept value, or what `read` returns; it is kept if it is `worth` that. */
  async get(key: string, read: () => Promise<Value>, worth: (value: Value) => boolean): Promise<Value> {
    const kept = this.#kept.get(key);
    const age = this.#ageOf(key);
    if (!kept || age >= STALE_AFTER_MS) return await this.#read(key, read, worth);
    // Errors are reported to callers that wait; here a failure only means that the next call retries.
    if (age >= RENEW_AFTER_MS) this.#read(key, read, worth).catch(() => undefined);
    return kept.value;
  }

  #ageOf(key: string): number {
    const kept = this.#kept.get(key);
    return kept ? this.#clock() - kept.at : Number.POSITIVE_INFINITY;
  }

  #read(key: string, read: () => Promise<Value>, worth: (value: Value) => boolean): Promise<Value> {
    const at = this.#clock();
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = read()
        .then((value) => {
          this.#kept.delete(key);
          if (worth(value)) this.#keep(key, { value, at });
          return value;
        })
        .finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return reading;
  }

  #keep(key: string, kept: Kept<Value>): void {
    if (this.#kept.size >= MAX_KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.set(key, kept);
  }
}
