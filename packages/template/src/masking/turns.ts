import { setImmediate as nextTurn } from 'node:timers/promises';

/** Tells long work on the event loop when to pause and when to continue. */
export interface Turns {
  /** Whether the time slice of this turn is used up. */
  isOver(): boolean;
  next(): Promise<void>;
}

/** Far below 50 ms, because a turn does other work too. */
const SLICE_MS = 10;

/**
 * Gives all users together one time slice per turn of the event loop. Waiting users take turns: with a slice each, many
 * of them would block the loop together.
 */
export class SharedTurns implements Turns {
  /** End of the slice of this turn; undefined until it starts. */
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
