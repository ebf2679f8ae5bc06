import { Problem } from '../problem.ts';

const MIB = 1024 * 1024;

export interface BodyLimits {
  /** Maximum memory for unanswered request bodies of one caller: an account, a server or, without a key, an address. */
  readonly perCaller: number;
  /** Maximum memory for all callers together. */
  readonly total: number;
  /** Added to `total` for small bodies, so that a login works while large bodies use up the rest. */
  readonly reserve: number;
}

const bodyLimits: BodyLimits = { perCaller: 32 * MIB, total: 128 * MIB, reserve: 16 * MIB };

const SMALL = 16 * 1024;
const RETRY_AFTER_SECONDS = 1;

/** Counts the memory of request bodies from their arrival to the answer, so that slow senders cannot fill the memory. */
export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #callers = new Map<string, number>();
  #total = 0;

  constructor(limits: BodyLimits = bodyLimits) {
    this.#limits = limits;
  }

  /** Opens the account of one request body. */
  open(caller: string): BodyRoom {
    let own = 0;
    return {
      take: (bytes) => {
        const { perCaller, total, reserve } = this.#limits;
        const ofCaller = (this.#callers.get(caller) ?? 0) + bytes;
        if (ofCaller > perCaller) throw tooMuch(`More than ${perCaller} bytes of request bodies of this caller`);
        const max = own + bytes <= SMALL ? total + reserve : total;
        if (this.#total + bytes > max) throw tooMuch(`More than ${total} bytes of request bodies of all callers`);
        own += bytes;
        this.#total += bytes;
        this.#callers.set(caller, ofCaller);
      },
      giveBack: () => {
        const left = (this.#callers.get(caller) ?? 0) - own;
        if (left > 0) this.#callers.set(caller, left);
        else this.#callers.delete(caller);
        this.#total -= own;
        own = 0;
      },
    };
  }
}

export interface BodyRoom {
  /** Throws if a limit would be passed. */
  take(bytes: number): void;
  /** Returns all bytes, once the request is answered. */
  giveBack(): void;
}

const tooMuch = (what: string) =>
  new Problem('RATE_LIMITED', `${what} are in progress. Retry when they are answered.`, {
    retry_after: RETRY_AFTER_SECONDS,
  });
