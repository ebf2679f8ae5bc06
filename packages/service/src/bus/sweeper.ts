import { type Guard, guardWith } from '../guard.ts';
import type { Log } from '../log.ts';

export interface SweeperOptions {
  /** Looks for work and does it; answers in how many milliseconds to look again if nobody calls before. */
  readonly sweep: () => Promise<number>;
  /** What it does, for the log. */
  readonly name: string;
  readonly log: Pick<Log, 'error'>;
  /** The least time between two sweeps: under load the rest of the process gets its turn. */
  readonly pauseMs?: number;
}

/** After a failed sweep. The database may be away, and asking faster does not bring it back. */
const AFTER_FAILURE_MS = 1_000;

/**
 * Repeats a sweep, one at a time: when woken, and at the latest when the last one said so. A wake-up during a sweep is
 * kept for another one, because what it tells of may have come too late for the present one.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #guard: Guard;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #rested = 0;
  #running: Promise<void> | undefined;
  #started = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#guard = guardWith(options.log);
  }

  start(): void {
    this.#started = true;
    this.wake();
  }

  wake(): void {
    this.#schedule(0);
  }

  /** Resolves when the running sweep, if any, is over. */
  async stop(): Promise<void> {
    this.#started = false;
    clearTimeout(this.#timer);
    this.#due = Number.POSITIVE_INFINITY;
    await this.#running;
  }

  #schedule(inMs: number): void {
    if (!this.#started) return;
    const now = performance.now();
    const due = Math.max(now + inMs, this.#rested);
    if (due >= this.#due) return;
    this.#due = due;
    if (this.#running) return;
    clearTimeout(this.#timer);
    const begin = () => this.#begin();
    this.#timer = setTimeout(this.#guard(begin), Math.min(due - now, LONGEST_TIMER_MS));
  }

  #begin(): void {
    this.#due = Number.POSITIVE_INFINITY;
    this.#running = this.#sweep().then((inMs) => {
      this.#running = undefined;
      this.#rested = performance.now() + (this.#options.pauseMs ?? 0);
      const woken = this.#due !== Number.POSITIVE_INFINITY;
      this.#due = Number.POSITIVE_INFINITY;
      this.#schedule(woken ? 0 : inMs);
    });
  }

  async #sweep(): Promise<number> {
    try {
      return await this.#options.sweep();
    } catch (error) {
      this.#options.log.error({ err: error }, `${this.#options.name} failed and will be tried again`);
      return AFTER_FAILURE_MS;
    }
  }
}

/** Node fires a timer beyond 31 bits at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
