export interface BackoffTimes {
  firstMs: number;
  mostMs: number;
}

/** Exponential backoff, half random, so that daemons that lost the service together do not reconnect together. */
export class Backoff {
  readonly #times: BackoffTimes;
  readonly #random: () => number;
  #failures = 0;

  constructor(times: BackoffTimes, random: () => number = Math.random) {
    this.#times = times;
    this.#random = random;
  }

  next(): number {
    const whole = Math.min(this.#times.mostMs, this.#times.firstMs * 2 ** Math.min(this.#failures++, 30));
    return whole / 2 + (whole / 2) * this.#random();
  }

  reset(): void {
    this.#failures = 0;
  }
}
