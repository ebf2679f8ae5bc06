/**
 * Lets each account read one repository at a time. Hosts that answer slowly on purpose then take one of the places, and
 * the gardens of other accounts are still read.
 */
export class AccountTurns {
  readonly #reading = new Set<string>();

  /** Does the work and returns true; returns false at once if the account has its turn already. */
  async take(accountId: string, work: () => Promise<void>): Promise<boolean> {
    if (this.#reading.has(accountId)) return false;
    this.#reading.add(accountId);
    try {
      await work();
    } finally {
      this.#reading.delete(accountId);
    }
    return true;
  }
}
