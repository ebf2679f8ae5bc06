import { setImmediate as nextTurn } from 'node:timers/promises';

/** Tells long work on the event loop when to pause, and when to go on. */
export interface Turns {
  /** Whether this turn of the loop has been used up. */
  isOver(): boolean;
  next(): Promise<void>;
}

/** Far below 50 ms, because a turn does other work as well. */
const SLICE_MS = 10;

/**
 * Gives its users one slice of each turn of the event loop, however many of them there are. Those that wait take turns, one
 * in each: had each a slice of its own, many at once would hold up the loop together.
 */
export class SharedTurns implements Turns {
  /** End of the slice of this turn; undefined until it begins. */
  #until: number | undefined;
  #last: Promise<void> = Promise.resolve();

  isOver(): boolean {
    return performance.now() > (this.#until ?? this.#begin());
  }

  next(): Promise<void> {
    this.#last = this.#last.then(async () => {
      await nextTurn();
      this.#begin();
    });
    return this.#last;
  }

  #begin(): number {
    const until = performance.now() + SLICE_MS;
    this.#until = until;
    setImmediate(() => {
      this.#until = undefined;
    });
    return until;
  }
}
