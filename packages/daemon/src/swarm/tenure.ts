import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Ties work to the leadership in which it began. Work that was delayed while another member led must not continue in a later
 * leadership of this daemon: it decided by a state that is no longer current.
 */
export class Tenure {
  readonly #begunIn = new AsyncLocalStorage<number>();
  #since = 0;

  /** Begins a leadership; `since` is its first epoch since another member led. */
  begin(since: number): void {
    this.#since = since;
  }

  /** Runs work, and all that it causes, as part of the current leadership. */
  run<Result>(work: () => Result): Result {
    return this.#begunIn.run(this.#since, work);
  }

  /** Whether the calling work began in the current leadership. True for work that belongs to none. */
  holds(): boolean {
    const begun = this.#begunIn.getStore();
    return begun === undefined || begun === this.#since;
  }
}
