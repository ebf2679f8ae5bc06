/** Callers that are remembered one by one. */
const MAX = 10_000;

/** Remembers when callers made their last changes, as long as a standby may lack them. Times are those of one clock. */
export class Writers {
  readonly #last = new Map<string, number>();
  /** Last change of callers that are not remembered. */
  #others = Number.NEGATIVE_INFINITY;

  /** Notes a change, and forgets those before `shown`. */
  note(caller: string | undefined, at: number, shown: number): void {
    if (caller === undefined) return;
    // Moves it to the end, so that the oldest are first.
    this.#last.delete(caller);
    this.#last.set(caller, at);
    for (const [oldest, time] of this.#last) {
      if (time >= shown) break;
      this.#last.delete(oldest);
    }
    if (this.#last.size <= MAX) return;
    this.#last.clear();
    this.#others = at;
  }

  lastOf(caller: string): number {
    return this.#last.get(caller) ?? this.#others;
  }
}
