const MIB = 1024 * 1024;
/** Bytes that a caller may send at full speed, as milliseconds at its rate: 8 MiB, the largest body. */
const BURST_MS = 1_000;
/** Bodies up to this size never wait. */
const SMALL = 64 * 1024;

export interface PaceLimits {
  /** Bytes per second of request bodies of one caller: an account, a server or, without a key, an address. */
  readonly perCaller: number;
  /** The same for all callers together. */
  readonly total: number;
}

const paceLimits: PaceLimits = { perCaller: 8 * MIB, total: 32 * MIB };

/**
 * Limits how fast large bodies are read. Whatever is done with them, their bytes pass through memory that the garbage collector
 * has to find again: at some hundred MB a second it stops the event loop for ten milliseconds several times a second.
 */
export class BodyPace {
  readonly #limits: PaceLimits;
  readonly #now: () => number;
  /** For each caller, the time at which its bytes so far will have been within its rate. */
  readonly #evenAt = new Map<string, number>();
  #allEvenAt = 0;

  constructor(limits: PaceLimits = paceLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Number of callers that are remembered. */
  get size(): number {
    return this.#evenAt.size;
  }

  /** Opens the pace of one body: counts each chunk, and returns the milliseconds to wait before the next one is read. */
  open(caller: string): (chunkBytes: number) => number {
    let own = 0;
    return (bytes) => {
      own += bytes;
      return own <= SMALL ? 0 : this.#waitMs(caller, bytes);
    };
  }

  #waitMs(caller: string, bytes: number): number {
    const now = this.#now();
    const callerEvenAt = Math.max(now, this.#evenAt.get(caller) ?? 0) + (1_000 * bytes) / this.#limits.perCaller;
    this.#allEvenAt = Math.max(now, this.#allEvenAt) + (1_000 * bytes) / this.#limits.total;
    this.#forgetBefore(now);
    this.#evenAt.delete(caller);
    this.#evenAt.set(caller, callerEvenAt);
    return Math.max(0, Math.max(callerEvenAt, this.#allEvenAt) - now - BURST_MS);
  }

  /** The map is in the order of last use, so that expired callers are at its start. */
  #forgetBefore(now: number): void {
    for (const [caller, evenAt] of this.#evenAt) {
      if (evenAt > now) return;
      this.#evenAt.delete(caller);
    }
  }
}
