import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { Sweeper } from '../bus/sweeper.ts';
import { guardWith } from '../process/guard.ts';
import type { Storage } from '../storage/storage.ts';
import { enqueue, enqueueIfMissing, JOBS_TOPIC, SWEEP_MS } from './enqueue.ts';
import type { JobKind } from './job.ts';
import { Run } from './run.ts';
import { claimJobs, extendLeases, type JobRow, nextOfKinds } from './store.ts';

export interface JobWorkerOptions {
  readonly storage: Storage;
  readonly bus: Bus;
  /** Jobs of other kinds are left to replicas that have handlers for them. */
  readonly handlers: Readonly<Record<string, JobKind>>;
  readonly replica: string;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  /**
   * Time after the last extension during which other workers do not claim the job. Must exceed the clock skew of
   * replicas.
   */
  readonly leaseMs?: number;
  /** Interval of the sweep that finds due jobs whose notice was lost, and those that were enqueued long before. */
  readonly sweepMs?: number;
  readonly clock?: () => number;
}

const STANDARD_CONCURRENCY = 4;
const STANDARD_LEASE_MS = 30_000;
/** A due job that another worker holds is checked again, in case its lease ends. */
const HELD_BY_ANOTHER_MS = 100;
/** Time for handlers to react to the stop signal. */
const GRACE_MS = 1_000;

/** Claims due jobs by lease and runs them, a bounded number of each kind at once. An idle worker sleeps. */
export class JobWorker {
  readonly #options: JobWorkerOptions;
  readonly #leaseMs: number;
  readonly #clock: () => number;
  readonly #sweeper: Sweeper;
  readonly #running = new Set<Run>();
  #unsubscribe: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #recurring = false;

  constructor(options: JobWorkerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? STANDARD_LEASE_MS;
    this.#clock = options.clock ?? Date.now;
    const { log, bus } = options;
    this.#sweeper = new Sweeper({ name: 'finding due jobs', log, pauseMs: 5, sweep: () => this.#sweep() });
    bus.onGap(() => this.#sweeper.wake());
  }

  start(): void {
    this.#unsubscribe = this.#options.bus.subscribe(JOBS_TOPIC, (kind) => {
      if (kind === '' || this.#options.handlers[kind]) this.#sweeper.wake();
    });
    const guard = guardWith(this.#options.log);
    const extend = () => this.#extend();
    this.#heartbeat = setInterval(guard(extend), this.#leaseMs / 3);
    // Apart from the heartbeat, which may wait for the database beyond the end of the lease.
    const interrupt = () => this.#interruptExpired();
    this.#watch = setInterval(guard(interrupt), this.#leaseMs / 30);
    this.#sweeper.start();
  }

  /** Waits for running jobs; those that take longer are interrupted and released. */
  async stop(options: { withinMs?: number } = {}): Promise<void> {
    this.#unsubscribe?.();
    await this.#sweeper.stop();
    await this.#ended(options.withinMs ?? 10_000);
    for (const run of this.#running) run.interrupt();
    await this.#ended(GRACE_MS);
    clearInterval(this.#heartbeat);
    clearInterval(this.#watch);
    await Promise.all([...this.#running].map((run) => run.giveBack()));
  }

  async #ended(withinMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    const timeout = new AbortController();
    const all = Promise.all([...this.#running].map((run) => run.ended)).finally(() => timeout.abort());
    await Promise.race([all, sleep(withinMs, undefined, { signal: timeout.signal }).catch(() => {})]);
  }

  async #sweep(): Promise<number> {
    const sweepMs = this.#options.sweepMs ?? SWEEP_MS;
    await this.#keepRecurring();
    const free = this.#freeSlots();
    // The end of a run wakes the sweeper.
    if (free.size === 0) return sweepMs;
    const next = await nextOfKinds(this.#options.storage.reader, free.keys());
    const now = this.#clock();
    const due = next.filter((job) => job.run_at <= now);
    if (due.length === 0) return Math.min(sweepMs, ...next.map((job) => job.run_at - now));
    const claimed = await this.#claim(due.map(({ kind }) => ({ kind, max: free.get(kind) ?? 0 })));
    return claimed > 0 ? 0 : HELD_BY_ANOTHER_MS;
  }

  #freeSlots(): Map<string, number> {
    const free = new Map<string, number>();
    for (const [kind, { concurrency }] of Object.entries(this.#options.handlers)) {
      const running = [...this.#running].filter((run) => run.job.kind === kind).length;
      const left = (concurrency ?? STANDARD_CONCURRENCY) - running;
      if (left > 0) free.set(kind, left);
    }
    return free;
  }

  async #claim(wanted: readonly { kind: string; max: number }[]): Promise<number> {
    const owner = `${this.#options.replica}:${randomBytes(6).toString('hex')}`;
    const rows = await this.#options.storage.write(async (tx) => {
      const until = tx.now + this.#leaseMs;
      const claimed: JobRow[] = [];
      for (const item of wanted) claimed.push(...(await claimJobs(tx, { ...item, owner, until })));
      return claimed;
    });
    for (const row of rows) this.#run(row, owner);
    return rows.length;
  }

  #run(row: JobRow, owner: string): void {
    const { storage, log, handlers } = this.#options;
    const kind = handlers[row.kind] as JobKind;
    const run = new Run({ storage, log, kind, row, owner });
    this.#running.add(run);
    run.ended.then(() => {
      this.#running.delete(run);
      this.#sweeper.wake();
    });
  }

  async #extend(): Promise<void> {
    const runs = [...this.#running];
    if (runs.length === 0) return;
    try {
      const { kept, until } = await this.#options.storage.write(async (tx) => {
        const until = tx.now + this.#leaseMs;
        const ids = runs.map((run) => run.job.id);
        const owners = [...new Set(runs.map((run) => run.owner))];
        return { kept: await extendLeases(tx, { ids, owners, until }), until };
      });
      for (const run of runs) {
        if (kept.some((row) => row.id === run.job.id && row.lease_owner === run.owner)) run.leasedUntil = until;
        else run.interrupt();
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'extending the leases of running jobs failed');
    }
  }

  /** Interrupts runs whose lease could not be extended in time: another worker may have claimed them. */
  #interruptExpired(): void {
    const now = this.#clock();
    for (const run of this.#running) if (run.leasedUntil <= now) run.interrupt();
  }

  /**
   * Creates the recurring jobs. Those that exist keep their time, so that a replica that starts does not make them run
   * early; only a time beyond the interval is moved, because the interval was shortened.
   */
  async #keepRecurring(): Promise<void> {
    if (this.#recurring) return;
    const { storage, handlers } = this.#options;
    const known = new Map((await nextOfKinds(storage.reader, Object.keys(handlers))).map((job) => [job.kind, job]));
    const now = this.#clock();
    const needed = Object.entries(handlers).flatMap(([kind, { every }]) => {
      if (every === undefined) return [];
      const job = known.get(kind);
      if (!job) return [{ kind, every, add: enqueueIfMissing }];
      const shortened = job.lease_owner === null && job.run_at > now + every;
      return shortened ? [{ kind, every, add: enqueue }] : [];
    });
    if (needed.length > 0)
      await storage.write(async (tx) => {
        for (const { kind, every, add } of needed)
          await add(tx, { kind, key: kind, payload: null, runAt: tx.now + every });
      });
    this.#recurring = true;
  }
}
