import type { Turns } from '@hortus/template/masking/turns';

/**
 * Measures the work between pauses, without the work of others meanwhile: what a line costs depends on its content, and a
 * container may know the values that are searched in it.
 */
export class MeasuredTurns implements Turns {
  readonly #shared: Turns;
  readonly #now: () => number;
  #busyMs = 0;
  #since: number | undefined;

  constructor(shared: Turns, now: () => number = () => performance.now()) {
    this.#shared = shared;
    this.#now = now;
  }

  isOver(): boolean {
    return this.#shared.isOver();
  }

  async next(): Promise<void> {
    const isMeasured = this.#since !== undefined;
    this.#stop();
    await this.#shared.next();
    if (isMeasured) this.#since = this.#now();
  }

  /** Runs work that waits for nothing but `next`. */
  async measure<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#since = this.#now();
    try {
      return await work();
    } finally {
      this.#stop();
    }
  }

  /** Milliseconds of work since the last call. */
  takeBusyMs(): number {
    const busyMs = this.#busyMs;
    this.#busyMs = 0;
    return busyMs;
  }

  #stop(): void {
    if (this.#since !== undefined) this.#busyMs += this.#now() - this.#since;
    this.#since = undefined;
  }
}
