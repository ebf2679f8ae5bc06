import { AsyncLocalStorage } from 'node:async_hooks';

/** Measures how long a request has waited for the database in all. Simultaneous waits count once. */
export class Patience {
  #spentMs = 0;
  #since = 0;
  #waits = 0;

  begin(): void {
    if (this.#waits++ === 0) this.#since = performance.now();
  }

  end(): void {
    if (--this.#waits === 0) this.#spentMs += performance.now() - this.#since;
  }

  get spentMs(): number {
    return this.#spentMs + (this.#waits > 0 ? performance.now() - this.#since : 0);
  }
}

const ofRequest = new AsyncLocalStorage<Patience>();

/** Runs a request: its queries and transactions together wait no longer for the database than one of them may. */
export const withOnePatience = <Of extends unknown[], Result>(work: (...of: Of) => Result, ...of: Of): Result =>
  ofRequest.run(new Patience(), work, ...of);

/** Returns that of the current request; outside of requests each query and transaction has its own. */
export const currentPatience = (): Patience => ofRequest.getStore() ?? new Patience();
