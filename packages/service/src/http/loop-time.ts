import type { Guard } from '../process/guard.ts';

/** Work of requests in one iteration of the event loop before it polls its sockets again. */
const SLICE_MS = 4;

/**
 * Shares the event loop among requests. One poll can find dozens of sockets with megabytes each; handled in one go, they would
 * delay every other caller by the sum of their costs. Once an iteration has used its slice, further work waits, in order, for
 * later iterations, and health probes, which never wait here, are answered in between.
 */
export class LoopTime {
  readonly #waiting: (() => void)[] = [];
  readonly #nextIteration: () => void;
  #since: number | undefined;

  constructor(guard: Guard) {
    this.#nextIteration = guard(() => this.#begin());
  }

  /** Whether work that comes now has to wait its turn. */
  get isSpent(): boolean {
    if (this.#since === undefined) {
      this.#start();
      return false;
    }
    return this.#waiting.length > 0 || performance.now() - this.#since > SLICE_MS;
  }

  /** Resolves when it is the caller's turn. */
  turn(): Promise<void> {
    return new Promise((done) => this.later(done));
  }

  /** Calls `work`, which must not throw, in a later iteration. */
  later(work: () => void): void {
    this.#waiting.push(work);
    if (this.#since === undefined) this.#start();
  }

  #start(): void {
    this.#since = performance.now();
    setImmediate(this.#nextIteration);
  }

  #begin(): void {
    this.#since = undefined;
    if (this.#waiting.length === 0) return;
    this.#start();
    this.#release();
  }

  /** Releases one after another: a microtask that is queued behind what a promise of `turn` continues with sees its cost. */
  #release(): void {
    const since = this.#since as number;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0)
      queueMicrotask(() => {
        if (performance.now() - since <= SLICE_MS) this.#release();
      });
  }
}
