/** How many jobs of one account may wait. */
const MOST_WAITING = 32;

interface Account<Job> {
  readonly jobs: Job[];
  running: number;
}

/** Jobs that wait for a thread: accounts take turns, and each runs at most `atOnce` at a time. */
export class Waiting<Job> {
  readonly #accounts = new Map<string, Account<Job>>();
  readonly #atOnce: number;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** False if too many of the account wait already. */
  add(account: string, job: Job): boolean {
    const known = this.#accounts.get(account) ?? { jobs: [], running: 0 };
    if (known.jobs.length >= MOST_WAITING) return false;
    known.jobs.push(job);
    this.#accounts.set(account, known);
    return true;
  }

  /** How many jobs could begin now, were there threads for all of them. */
  get startable(): number {
    let count = 0;
    for (const { jobs, running } of this.#accounts.values())
      count += Math.max(0, Math.min(jobs.length, this.#atOnce - running));
    return count;
  }

  /** The next job of the account that had its turn longest ago. It counts as running until `free`. */
  take(): Job | undefined {
    for (const [name, account] of this.#accounts) {
      if (account.running >= this.#atOnce) continue;
      const job = account.jobs.shift();
      if (job === undefined) continue;
      account.running++;
      // The order of a map is that of insertion: the account goes to its end.
      this.#accounts.delete(name);
      this.#accounts.set(name, account);
      return job;
    }
    return undefined;
  }

  free(name: string): void {
    const account = this.#accounts.get(name);
    if (!account) return;
    account.running--;
    if (account.running <= 0 && account.jobs.length === 0) this.#accounts.delete(name);
  }

  /** Takes all of them out. */
  clear(): Job[] {
    const all = [...this.#accounts.values()].flatMap(({ jobs }) => jobs.splice(0));
    return all;
  }
}
