import type { Guard } from '../process/guard.ts';

export interface PacedAdmissionOptions {
  readonly atOnce: number;
  readonly pauseMs: number;
}

/**
 * Admits a group at a time, with pauses in which the process does other work. When thousands of daemons reconnect at
 * once, other requests wait for one group and not for all.
 */
export class PacedAdmission {
  readonly #options: PacedAdmissionOptions;
  readonly #guard: Guard;
  #waiting: (() => void)[] = [];
  #passed = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: PacedAdmissionOptions, guard: Guard) {
    this.#options = options;
    this.#guard = guard;
  }

  /** Calls back at once if the queue is empty. */
  pass(through: () => void): void {
    this.#waiting.push(through);
    if (this.#passed < this.#options.atOnce) this.#open();
  }

  #open(): void {
    const { atOnce, pauseMs } = this.#options;
    const group = this.#waiting.splice(0, atOnce - this.#passed);
    this.#passed += group.length;
    this.#pause ??= setTimeout(
      this.#guard(() => this.#paused()),
      pauseMs,
    );
    for (const through of group) this.#guard(through)();
  }

  #paused(): void {
    this.#pause = undefined;
    this.#passed = 0;
    if (this.#waiting.length > 0) this.#open();
  }
}
