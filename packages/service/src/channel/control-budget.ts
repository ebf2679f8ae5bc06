/** A daemon says that it is there a few times a minute; keepalive of proxies adds little to that. */
const MOST_A_SECOND = 100;

/** Counts the control frames of one peer. One that sends them by the thousand wants to keep us busy. */
export class ControlBudget {
  #second = 0;
  #count = 0;

  /** False when there have been too many in this second. */
  spend(now = performance.now()): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    return ++this.#count <= MOST_A_SECOND;
  }
}
