export interface DoorwayLimits {
  readonly total: number;
  readonly perAddress: number;
}

/** Counts who has not said yet who he is, so that strangers can only ever hold so many sockets. */
export class Doorway {
  readonly #limits: DoorwayLimits;
  readonly #addresses = new Map<string, number>();
  #inside = 0;

  constructor(limits: DoorwayLimits) {
    this.#limits = limits;
  }

  /** False when there is no room; otherwise `leave` must follow. */
  enter(address: string): boolean {
    const here = this.#addresses.get(address) ?? 0;
    if (this.#inside >= this.#limits.total || here >= this.#limits.perAddress) return false;
    this.#inside++;
    this.#addresses.set(address, here + 1);
    return true;
  }

  leave(address: string): void {
    const here = this.#addresses.get(address) ?? 0;
    if (here === 0) return;
    this.#inside--;
    if (here === 1) this.#addresses.delete(address);
    else this.#addresses.set(address, here - 1);
  }
}
