/** Measures how long a request has waited for the database in all. Simultaneous waits count once. */
export class DatabaseWait {
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
