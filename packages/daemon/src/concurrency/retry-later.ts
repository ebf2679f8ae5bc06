import type { BackoffTimes } from '@hortus/contract/runtime/backoff';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { Backoff } from './backoff.ts';

/** Repeats work after failures, with one timer for all that failed meanwhile. */
export class RetryLater {
  readonly #work: () => void;
  readonly #log: Log;
  readonly #backoff: Backoff;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(work: () => void, log: Log, times: BackoffTimes = { firstMs: 1_000, maxMs: 60_000 }) {
    this.#work = work;
    this.#log = log;
    this.#backoff = new Backoff(times);
  }

  failed(): void {
    if (this.#stopped || this.#timer) return;
    const again = () => {
      this.#timer = undefined;
      this.#work();
    };
    this.#timer = setTimeout(guarded(this.#log, again), this.#backoff.next());
  }

  succeeded(): void {
    this.#backoff.reset();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
