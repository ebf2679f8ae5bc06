import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../problem.ts';
import { FailureWindows } from './failure-windows.ts';
import { callerNetwork } from './networks.ts';

/** Limit for one user from one network. */
export const MAX_FAILURES = 10;
/** Limit for all users from one network, against trying one password on many users. */
export const MAX_FOR_NETWORK = 100;
/**
 * Limit for one user from all networks together; beyond it, attempts from networks that are new to the user are
 * delayed.
 */
export const FREE_FOR_USER = 20;
export const MAX_DELAY_MS = 5_000;
/** Maximum number of delayed attempts; bounds memory and sockets. */
export const MAX_HELD = 1_000;

export interface Attempt {
  readonly address: string;
  readonly email: string;
  /** Whether the user has signed in from this network before; false for an unknown email. */
  readonly known: boolean;
}

export interface Outcome {
  readonly right: boolean;
  /** Failures of this user from all networks in this window, this attempt included. */
  readonly failures: number;
}

export interface ThrottleOptions {
  /** Milliseconds since 1970; tests pass their own. */
  readonly clock?: () => number;
  readonly delay?: (ms: number) => Promise<unknown>;
}

/**
 * Limits wrong passwords per window of 15 minutes. Only failures from the same network refuse an attempt; failures from
 * other networks delay it, and only where the network is new to the user. Each replica counts for itself.
 */
export class LoginThrottle {
  readonly #networks: FailureWindows;
  readonly #pairs: FailureWindows;
  readonly #users: FailureWindows;
  readonly #delay: (ms: number) => Promise<unknown>;
  #held = 0;

  constructor({ clock = Date.now, delay = sleep }: ThrottleOptions = {}) {
    this.#networks = new FailureWindows(clock);
    this.#pairs = new FailureWindows(clock);
    this.#users = new FailureWindows(clock);
    this.#delay = delay;
  }

  /** Counts before it verifies, so that parallel attempts cannot exceed the limit. */
  async check({ address, email, known }: Attempt, verify: () => Promise<boolean>): Promise<Outcome> {
    const network = callerNetwork(address);
    const pair = `${network} ${email}`;
    refuseAfter(this.#pairs, pair, MAX_FAILURES);
    if (!known) refuseAfter(this.#networks, network, MAX_FOR_NETWORK);
    this.#networks.add(network);
    this.#pairs.add(pair);
    const failures = this.#users.add(email);
    const takeBack = () => {
      this.#networks.takeBack(network);
      this.#pairs.takeBack(pair);
      this.#users.takeBack(email);
    };
    try {
      if (!known && failures > FREE_FOR_USER) await this.#hold(delayAfter(failures));
      const right = await verify();
      if (right) {
        takeBack();
        this.#pairs.clear(pair);
      }
      return { right, failures };
    } catch (error) {
      // The password was not verified (for example because of an overload), so this is not a failure of the caller.
      takeBack();
      throw error;
    }
  }

  async #hold(ms: number): Promise<void> {
    if (this.#held >= MAX_HELD) {
      throw new Problem('RATE_LIMITED', 'Too many sign-ins are waiting. Try again in a moment.', { retry_after: 5 });
    }
    this.#held++;
    try {
      await this.#delay(ms);
    } finally {
      this.#held--;
    }
  }
}

function refuseAfter(windows: FailureWindows, key: string, max: number): void {
  const retry_after = windows.secondsToWait(key, max);
  if (retry_after === undefined) return;
  throw new Problem('RATE_LIMITED', 'Too many failed attempts to sign in from this network.', { retry_after });
}

/** One second, and another one for every 20 further failures. */
const delayAfter = (failures: number): number =>
  Math.min(MAX_DELAY_MS, Math.ceil((failures - FREE_FOR_USER) / 20) * 1_000);
