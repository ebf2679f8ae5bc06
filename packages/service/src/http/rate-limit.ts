import type { RateLimits } from '../config.ts';
import { callerNetwork } from '../identity/networks.ts';
import type { Principal } from '../identity/principal.ts';

export const WINDOW_MS = 60_000;

/** How often one caller has called in the present minute. */
export interface Counter {
  /** Counted here since the replicas last added up. */
  fresh: number;
  /** What all replicas together had counted by then. Stays 0 where there is only one process. */
  known: number;
}

/** One minute and everyone who called in it. */
export interface RateWindow {
  readonly start: number;
  readonly counters: Map<string, Counter>;
}

/** What the three headers of every answer say. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds of the end of the window. */
  readonly reset: number;
  readonly exceeded: boolean;
}

/** Past so many different callers in a minute the rest share one counter: memory stays bounded whoever knocks. */
const MOST_CALLERS = 100_000;
const EVERYONE_ELSE = 'everyone else';

/**
 * Fixed windows of one minute: per account by its plan, per server for server keys, per address for callers without a
 * valid key. Exact within one process; `SharedRateWindows` adds up those of several.
 */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #clock: () => number;
  #window: RateWindow = { start: 0, counters: new Map() };

  constructor(limits: RateLimits, clock: () => number = Date.now) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The present window, begun anew when the minute is over. */
  get window(): RateWindow {
    const now = this.#clock();
    if (now - this.#window.start >= WINDOW_MS || now < this.#window.start) {
      this.#window = { start: now - (now % WINDOW_MS), counters: new Map() };
    }
    return this.#window;
  }

  /** Counts a request, unless the caller has none left: then it is `exceeded` and refused without being counted. */
  count(principal: Principal | undefined, address: string): RateState {
    const window = this.window;
    const limit = this.#limitOf(principal);
    const counter = counterOf(window, subjectOf(principal, address));
    const used = counter.known + counter.fresh;
    const exceeded = used >= limit;
    if (!exceeded) counter.fresh++;
    return state(window, limit, exceeded ? 0 : limit - used - 1, exceeded);
  }

  /** How it stands, without counting: for what is never limited. */
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
  if (window.counters.size >= MOST_CALLERS && subject !== EVERYONE_ELSE) return counterOf(window, EVERYONE_ELSE);
  const counter = { fresh: 0, known: 0 };
  window.counters.set(subject, counter);
  return counter;
}

/** Whom a request counts for. Ids of accounts and servers carry prefixes, so they never meet an address or each other. */
export function subjectOf(principal: Principal | undefined, address: string): string {
  if (principal === undefined) return callerNetwork(address);
  return principal.kind === 'server' ? principal.serverId : principal.accountId;
}
