import { type BackoffTimes, backoffMs } from '@hortus/contract/backoff';

/** Counts the failures of something that is retried until it succeeds. */
export class Backoff {
  readonly #times: BackoffTimes;
  readonly #random: () => number;
  #failures = 0;

  constructor(times: BackoffTimes, random: () => number = Math.random) {
    this.#times = times;
    this.#random = random;
  }

  /** Returns the pause before the next attempt, in milliseconds. */
  next(): number {
    return backoffMs(++this.#failures, this.#times, this.#random);
  }

  reset(): void {
    this.#failures = 0;
  }
}
