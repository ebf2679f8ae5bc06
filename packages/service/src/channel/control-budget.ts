/** Maximum of control frames per second; a daemon sends a few per minute, and keep-alives of proxies add few. */
const MAX_PER_SECOND = 100;

/** Limits the control frames of one peer, because each costs an answer. */
export class ControlBudget {
  #second = 0;
  #count = 0;

  /** Returns false if there were too many in this second. */
  spend(now = performance.now()): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    return ++this.#count <= MAX_PER_SECOND;
  }
}
