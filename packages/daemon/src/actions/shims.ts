import { Shim } from './shim.ts';

export interface ShimsOptions {
  /** This program as `hortusd exec-shim`. */
  command: readonly string[];
  /** The engine's socket. */
  socket: string;
}

/** How many are kept waiting after they have worked. */
const IDLE = 2;

/**
 * The shims that wait for work. A program's start costs several times what an exec costs, so the first is started
 * beforehand, and one that has finished is used again; only what comes at the same moment pays for a start of its own.
 */
export class Shims {
  readonly #options: ShimsOptions;
  #waiting: Promise<Shim | undefined>[] = [];
  #closed = false;

  constructor(options: ShimsOptions) {
    this.#options = options;
  }

  /** Makes sure that one waits. */
  warm(): void {
    if (this.#closed || this.#waiting.length > 0) return;
    // One that cannot be made now is made, or its failure told, when it is needed.
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
