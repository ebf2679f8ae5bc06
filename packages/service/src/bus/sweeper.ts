import { type Guard, guardWith } from '../process/guard.ts';
import type { Log } from '../process/log.ts';

export interface SweeperOptions {
  /** Finds and does pending work; returns the milliseconds until the next sweep unless it is woken before. */
  readonly sweep: () => Promise<number>;
  /** Description of the work, for the log. */
  readonly name: string;
  readonly log: Pick<Log, 'error'>;
  /** Minimum time between two sweeps, so that the rest of the process is not starved under load. */
  readonly pauseMs?: number;
}

/** Delay after a failed sweep; the database may be down, and retrying faster does not help. */
const AFTER_FAILURE_MS = 1_000;

/**
 * Repeats a sweep, one at a time: when woken, and at the latest after the returned time. A wake-up during a sweep
 * causes another one, because its cause may have come too late for the current sweep.
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

  /** Resolves when the running sweep, if any, has ended. */
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
    this.#timer = setTimeout(this.#guard(begin), Math.min(due - now, MAX_TIMER_MS));
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
      this.#options.log.error({ err: error }, `${this.#options.name} failed and will be retried`);
      return AFTER_FAILURE_MS;
    }
  }
}

/** Node fires timers beyond 31 bits immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;
