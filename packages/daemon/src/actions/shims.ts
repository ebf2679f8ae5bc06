import { Shim } from './shim.ts';

export interface ShimsOptions {
  /** This program as `hortusd exec-shim`. */
  command: readonly string[];
  /** The engine's socket. */
  socket: string;
}

/** Idle shims that are kept. */
const IDLE = 2;

/**
 * Pool of idle shims. Starting a program costs several times as much as an exec, so one is started in advance and
 * finished ones are reused; only parallel actions pay for a start.
 */
export class Shims {
  readonly #options: ShimsOptions;
  #waiting: Promise<Shim | undefined>[] = [];
  #closed = false;

  constructor(options: ShimsOptions) {
    this.#options = options;
  }

  /** Ensures that one shim is waiting. */
  warm(): void {
    if (this.#closed || this.#waiting.length > 0) return;
    // A failure is reported when a shim is needed.
    this.#waiting.push(this.#spawn().catch(() => undefined));
  }

  async take(): Promise<Shim> {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      const shim = await next;
      if (shim?.alive) return shim;
    }
    return await this.#spawn();
  }

  giveBack(shim: Shim): void {
    if (this.#closed || this.#waiting.length >= IDLE) shim.dismiss();
    else if (shim.alive) this.#waiting.push(Promise.resolve(shim));
    this.warm();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const shim of await Promise.all(this.#waiting.splice(0))) shim?.dismiss();
  }

  #spawn(): Promise<Shim> {
    return Shim.spawn(this.#options.command, this.#options.socket);
  }
}
