/** Maximum number of waiting jobs of one account. */
const MAX_WAITING = 32;

interface Account<Job> {
  readonly jobs: Job[];
  running: number;
}

/** Queue of jobs: accounts take turns, and each runs at most `atOnce` at a time. */
export class Waiting<Job> {
  readonly #accounts = new Map<string, Account<Job>>();
  readonly #atOnce: number;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Returns false if too many jobs of the account are waiting. */
  add(account: string, job: Job): boolean {
    const known = this.#accounts.get(account) ?? { jobs: [], running: 0 };
    if (known.jobs.length >= MAX_WAITING) return false;
    known.jobs.push(job);
    this.#accounts.set(account, known);
    return true;
  }

  /** Number of jobs that could start now if there were enough threads. */
  get startable(): number {
    let count = 0;
    for (const { jobs, running } of this.#accounts.values())
      count += Math.max(0, Math.min(jobs.length, this.#atOnce - running));
    return count;
  }

  /** Returns the next job of the least recently served account. It counts as running until `free`. */
  take(): Job | undefined {
    for (const [name, account] of this.#accounts) {
      if (account.running >= this.#atOnce) continue;
      const job = account.jobs.shift();
      if (job === undefined) continue;
      account.running++;
      // Maps keep insertion order: move the account to the end.
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

  /** Removes and returns all of them. */
  clear(): Job[] {
    const all = [...this.#accounts.values()].flatMap(({ jobs }) => jobs.splice(0));
    return all;
  }
}
