import { setTimeout as sleep } from 'node:timers/promises';

/** Cost that may be spent: continuously, and at once after a quiet time. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Waits in parts, so that a clock of a test, and the end of the work, are noticed. */
const MAX_PAUSE_MS = 1_000;

/** Bounds work by its cost. It may go into debt, because what is read has a cost that is known only afterwards. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#left = rate.burst;
    this.#at = now();
  }

  /** Whether most of the burst is used up. */
  get isStrained(): boolean {
    this.#refill();
    return this.#left < this.#rate.burst / 2;
  }

  /** Milliseconds until the debt is paid. */
  get debtMs(): number {
    this.#refill();
    return this.#left >= 0 ? 0 : (-this.#left / this.#rate.perSecond) * 1_000;
  }

  spend(cost: number): void {
    this.#refill();
    this.#left -= cost;
  }

  #refill(): void {
    const now = this.#now();
    const { perSecond, burst } = this.#rate;
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
  }
}

/** Waits until `debtMs` is 0 or the signal aborts; true if it did not have to. */
export async function settleDebt(debtMs: () => number, signal?: AbortSignal): Promise<boolean> {
  let isFree = true;
  for (let ms = debtMs(); ms > 0 && !signal?.aborted; ms = debtMs()) {
    isFree = false;
    const options = signal === undefined ? {} : { signal };
    await sleep(Math.min(Math.ceil(ms), MAX_PAUSE_MS), undefined, options).catch(() => undefined);
  }
  return isFree;
}

/** Passes an output on at a rate in bytes; what is not read yet holds its writer back. Ends when the signal aborts. */
export async function* paced<Part extends { chunk: Buffer }>(
  output: AsyncIterable<Part>,
  rate: Rate,
  signal?: AbortSignal,
): AsyncGenerator<Part> {
  const bucket = new TokenBucket(rate);
  for await (const part of output) {
    yield part;
    bucket.spend(part.chunk.length);
    await settleDebt(() => bucket.debtMs, signal);
    if (signal?.aborted) return;
  }
}
