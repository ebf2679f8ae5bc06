import type { RateLimits } from '../config/config.ts';
import { callerNetwork } from '../identity/networks.ts';
import type { Principal } from '../identity/principal.ts';

export const WINDOW_MS = 60_000;

/** Requests of one caller in the current minute. */
export interface Counter {
  /** Counted here since the last synchronization of the replicas. */
  fresh: number;
  /** Total of all replicas at that time. Always 0 with a single process. */
  known: number;
}

/** One minute with the counters of its callers. */
export interface RateWindow {
  readonly start: number;
  readonly counters: Map<string, Counter>;
}

/** Values of the three headers of every answer. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** End of the window in epoch seconds. */
  readonly reset: number;
  readonly exceeded: boolean;
}

/** Beyond this number of callers in a minute the others share one counter, which bounds the memory. */
const MAX_CALLERS = 100_000;
const EVERYONE_ELSE = 'everyone else';

/**
 * Fixed windows of one minute: per account by its plan, per server for server keys, per address for callers without a
 * valid key. Exact within one process; `SharedRateWindows` sums up several.
 */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #clock: () => number;
  #window: RateWindow = { start: 0, counters: new Map() };

  constructor(limits: RateLimits, clock: () => number = Date.now) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Returns the current window; starts a new one when the minute is over. */
  get window(): RateWindow {
    const now = this.#clock();
    if (now - this.#window.start >= WINDOW_MS || now < this.#window.start) {
      this.#window = { start: now - (now % WINDOW_MS), counters: new Map() };
    }
    return this.#window;
  }

  /** Counts a request, unless the limit is reached: then the request is `exceeded` and not counted. */
  count(principal: Principal | undefined, address: string): RateState {
    const window = this.window;
    const limit = this.#limitOf(principal);
    const counter = counterOf(window, subjectOf(principal, address));
    const used = counter.known + counter.fresh;
    const exceeded = used >= limit;
    if (!exceeded) counter.fresh++;
    return state(window, limit, exceeded ? 0 : limit - used - 1, exceeded);
  }

  /** Returns the state without counting, for requests that are never limited. */
  peek(principal: Principal | undefined, address: string): RateState {
    const window = this.window;
    const limit = this.#limitOf(principal);
    const counter = window.counters.get(subjectOf(principal, address));
    return state(window, limit, Math.max(0, limit - (counter ? counter.known + counter.fresh : 0)), false);
  }

  /** Seconds until the window ends, at least one. */
  get secondsLeft(): number {
    return Math.max(1, Math.ceil((this.window.start + WINDOW_MS - this.#clock()) / 1000));
  }

  #limitOf(principal: Principal | undefined): number {
    if (principal === undefined) return this.#limits.anonymous;
    return principal.kind === 'server' ? this.#limits.server : this.#limits[principal.plan];
  }
}

const state = (window: RateWindow, limit: number, remaining: number, exceeded: boolean): RateState => ({
  limit,
  remaining,
  reset: (window.start + WINDOW_MS) / 1000,
  exceeded,
});

function counterOf(window: RateWindow, subject: string): Counter {
  const known = window.counters.get(subject);
  if (known) return known;
  if (window.counters.size >= MAX_CALLERS && subject !== EVERYONE_ELSE) return counterOf(window, EVERYONE_ELSE);
  const counter = { fresh: 0, known: 0 };
  window.counters.set(subject, counter);
  return counter;
}

/**
 * Returns the key under which a request is counted. Ids of accounts and servers have prefixes, so they never equal an
 * address or each other.
 */
export function subjectOf(principal: Principal | undefined, address: string): string {
  if (principal === undefined) return callerNetwork(address);
  return principal.kind === 'server' ? principal.serverId : principal.accountId;
}
