export interface Hold {
  /** Milliseconds of processor time, so that a busy machine does not count. */
  readonly ms: number;
  readonly during: string;
}

/** Measures the longest turn of the event loop of this thread, and what was sent meanwhile. */
export class LongestHold {
  longest: Hold = { ms: 0, during: '' };
  during = '';
  #before = process.threadCpuUsage();
  #next: NodeJS.Immediate | undefined;

  start(): void {
    this.#before = process.threadCpuUsage();
    this.#next = setImmediate(() => this.#turn());
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  #turn(): void {
    const now = process.threadCpuUsage();
    const ms = (now.user + now.system - this.#before.user - this.#before.system) / 1_000;
    if (ms > this.longest.ms) this.longest = { ms, during: this.during };
    this.#before = now;
    this.#next = setImmediate(() => this.#turn());
  }
}
