import { type Rate, settleDebt, TokenBucket } from '../concurrency/token-bucket.ts';

/** What a line costs beside its bytes: parsing, masking, storing and passing on an empty one. */
const LINE_COST = 128;
/** What a millisecond of work costs, so that a container gets at most a tenth of a core whatever its lines contain. */
const MS_COST = (10 * 1024 ** 2) / 1_000;

/** Returns what reading a part of an output costs, in bytes of ordinary lines. */
export const costOf = ({ bytes, lines, busyMs }: { bytes: number; lines: number; busyMs: number }): number =>
  Math.max(bytes + lines * LINE_COST, busyMs * MS_COST);

const MIB = 1024 ** 2;
/** For one container: 1 MiB or 8,192 lines a second, and 16 MiB at once, which is half of what the engine keeps. */
export const CONTAINER_RATE: Rate = { perSecond: MIB, burst: 16 * MIB };
/** For all containers together that write more than their share. */
const SERVER_RATE: Rate = { perSecond: 4 * MIB, burst: 16 * MIB };

/**
 * Bounds what the output of containers costs. A container beyond its budget is not read meanwhile: the engine keeps its
 * output as long as it has room, and the container is never stopped. Only containers that write more than their share wait
 * for the budget of the server, so that a quiet one never waits for another.
 */
export class OutputBudgets {
  readonly #now: (() => number) | undefined;
  readonly #all: TokenBucket;

  constructor(now?: () => number) {
    this.#now = now;
    this.#all = new TokenBucket(SERVER_RATE, now);
  }

  ofContainer(): ContainerBudget {
    return new ContainerBudget(new TokenBucket(CONTAINER_RATE, this.#now), this.#all);
  }
}

export class ContainerBudget {
  readonly #own: TokenBucket;
  readonly #all: TokenBucket;

  constructor(own: TokenBucket, all: TokenBucket) {
    this.#own = own;
    this.#all = all;
  }

  /** Milliseconds until more may be read. */
  get debtMs(): number {
    return Math.max(this.#own.debtMs, this.#own.isStrained ? this.#all.debtMs : 0);
  }

  /** Pays for output that was read; resolves when more may be read. False if it had to wait. */
  async pay(cost: number, signal: AbortSignal): Promise<boolean> {
    this.#own.spend(cost);
    this.#all.spend(cost);
    return await settleDebt(() => this.debtMs, signal);
  }
}
