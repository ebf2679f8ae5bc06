import type { Guard } from '../guard.ts';

export interface TurnstileOptions {
  readonly atOnce: number;
  readonly pauseMs: number;
}

/**
 * Lets so many through and then makes a pause, in which the process does what others wait for. When thousands of daemons
 * come back at once, people's requests stand behind one group of them and not behind all.
 */
export class Turnstile {
  readonly #options: TurnstileOptions;
  readonly #guard: Guard;
  #waiting: (() => void)[] = [];
  #passed = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: TurnstileOptions, guard: Guard) {
    this.#options = options;
    this.#guard = guard;
  }

  /** Calls back at once when there is nobody in front. */
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
