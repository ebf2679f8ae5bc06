import { callerNetwork } from '../identity/networks.ts';

export interface UnauthenticatedLimits {
  readonly total: number;
  /** Per IPv4 address, or per /64 of an IPv6 address. */
  readonly perAddress: number;
}

/** Limits unauthenticated sockets, in total and per network. */
export class UnauthenticatedLimit {
  readonly #limits: UnauthenticatedLimits;
  readonly #networks = new Map<string, number>();
  #inside = 0;

  constructor(limits: UnauthenticatedLimits) {
    this.#limits = limits;
  }

  /** Returns false if the limit is reached; otherwise `leave` must follow. */
  enter(address: string): boolean {
    const network = callerNetwork(address);
    const here = this.#networks.get(network) ?? 0;
    if (this.#inside >= this.#limits.total || here >= this.#limits.perAddress) return false;
    this.#inside++;
    this.#networks.set(network, here + 1);
    return true;
  }

  leave(address: string): void {
    const network = callerNetwork(address);
    const here = this.#networks.get(network) ?? 0;
    if (here === 0) return;
    this.#inside--;
    if (here === 1) this.#networks.delete(network);
    else this.#networks.set(network, here - 1);
  }
}
