import { guardedBy } from '@hortus/contract/runtime/guarded-by';

export interface Arrival {
  readonly serverId: string;
}

export interface ReceptionOptions<A extends Arrival, Result> {
  /** Registers all arrivals in one transaction; each has its own outcome. */
  readonly admit: (arrivals: readonly A[]) => Promise<PromiseSettledResult<Result>[]>;
  readonly pauseMs?: number;
  readonly atOnce?: number;
}

interface Waiting<A, Result> {
  readonly arrival: A;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches daemons that connect at nearly the same time. A single daemon is registered immediately; of thousands, a
 * hundred share a transaction, because its cost is the disk and not the number of rows.
 */
export class Reception<A extends Arrival, Result> {
  readonly #options: Required<ReceptionOptions<A, Result>>;
  readonly #waiting: Waiting<A, Result>[] = [];
  #admittedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReceptionOptions<A, Result>) {
    this.#options = { pauseMs: 25, atOnce: 100, ...options };
  }

  arrive(arrival: A): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ arrival, resolve, reject });
      this.#gather();
    });
  }

  #gather(): void {
    if (this.#timer || this.#waiting.length === 0) return;
    const wait = this.#admittedAt + this.#options.pauseMs - performance.now();
    const admit = () => this.#admit();
    const refuse = (error: Error) => this.#refuse(this.#waiting.splice(0), error);
    this.#timer = setTimeout(guardedBy(refuse, admit), Math.max(0, wait));
  }

  async #admit(): Promise<void> {
    this.#timer = undefined;
    this.#admittedAt = performance.now();
    const group = this.#waiting.splice(0, this.#options.atOnce);
    this.#gather();
    try {
      const outcomes = await this.#options.admit(group.map(({ arrival }) => arrival));
      for (const [i, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[i] as PromiseSettledResult<Result>;
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason);
      }
    } catch (error) {
      this.#refuse(group, error);
    }
  }

  #refuse(group: readonly Waiting<A, Result>[], error: unknown): void {
    for (const { reject } of group) reject(error);
  }
}
