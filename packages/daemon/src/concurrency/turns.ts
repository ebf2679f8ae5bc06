/** Limits parallel operations; the rest wait in order. */
export class Slots {
  readonly #size: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#size = size;
    this.#free = size;
  }

  /** Whether no operation runs or waits. */
  get isIdle(): boolean {
    return this.#free === this.#size;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/** Runs operations one at a time, in their order. A failed one does not stop those after it. */
export class Serial extends Slots {
  constructor() {
    super(1);
  }

  /** Resolves once the operations so far have ended. */
  async ended(): Promise<void> {
    await this.run(async () => undefined);
  }
}

/** Serialises operations per instance in their order; different instances run in parallel. */
export class Turns {
  readonly #queues = new Map<string, Serial>();

  /** Whether an operation runs or waits. */
  busy(name: string): boolean {
    return this.#queues.has(name);
  }

  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(name) ?? new Serial();
    this.#queues.set(name, queue);
    try {
      return await queue.run(work);
    } finally {
      if (queue.isIdle) this.#queues.delete(name);
    }
  }
}
