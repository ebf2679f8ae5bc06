import { type BackoffTimes, backoffMs } from '@hortus/contract/runtime/backoff';

/** Counts the failures of something that is retried until it succeeds. */
export class Backoff {
  readonly #times: BackoffTimes;
  readonly #random: () => number;
  #failures = 0;

  constructor(times: BackoffTimes, random: () => number = Math.random) {
    this.#times = times;
    this.#random = random;
  }

  /** Returns the pause before the next attempt, in milliseconds. With many callers it is a random part of `spreadMs`, if that is longer. */
  next(spreadMs = 0): number {
    const spread = this.#random() * Math.min(spreadMs, this.#times.maxMs);
    return Math.max(backoffMs(++this.#failures, this.#times, this.#random), Math.round(spread));
  }

  reset(): void {
    this.#failures = 0;
  }
}
