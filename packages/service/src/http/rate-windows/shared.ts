import type { Guard } from '../../process/guard.ts';
import { OutcomeUnknown, type Storage } from '../../storage/storage.ts';
import { type Counter, type RateLimiter, type RateWindow, WINDOW_MS } from '../rate-limit.ts';
import { addCounts, deleteWindowsBefore } from './store.ts';

const EVERY_MS = 100;

/**
 * Sums up the counts of all replicas in the database, about ten times a second. In between, each replica adds its own
 * requests to the last known sum, so together they may exceed the limit only by the requests of that interval. If the
 * database does not answer, each replica uses its own count.
 */
export class SharedRateWindows {
  readonly #limiter: RateLimiter;
  readonly #storage: Storage;
  readonly #guard: Guard;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #cleanedFor = 0;

  constructor(limiter: RateLimiter, storage: Storage, guard: Guard) {
    this.#guard = guard;
    this.#limiter = limiter;
    this.#storage = storage;
  }

  start(): void {
    const sync = () => this.sync();
    this.#timer = setInterval(this.#guard(sync), EVERY_MS).unref();
  }

  /** Synchronizes once; concurrent calls join. */
  sync(): Promise<void> {
    this.#running ??= this.#sync().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #sync(): Promise<void> {
    const window = this.#limiter.window;
    const sent = take(window);
    if (sent.length === 0) return;
    try {
      const sums = await this.#storage.write(async (tx) => {
        if (this.#cleanedFor !== window.start) await deleteWindowsBefore(tx, window.start - WINDOW_MS);
        return addCounts(tx, window.start, sent);
      });
      this.#cleanedFor = window.start;
      for (const { subject, count } of sums) (window.counters.get(subject) as Counter).known = count;
    } catch (error) {
      // May have been written; a caller must not be counted twice.
      if (error instanceof OutcomeUnknown) return;
      // Nothing was written, so the counts are sent again later. Database errors are logged elsewhere.
      for (const { counter, count } of sent) {
        counter.known -= count;
        counter.fresh += count;
      }
    }
  }
}

/** Returns the counts since the last synchronization, in an order that all replicas share, to avoid deadlocks. */
function take(window: RateWindow) {
  const taken: { readonly subject: string; readonly count: number; readonly counter: Counter }[] = [];
  for (const [subject, counter] of window.counters) {
    if (counter.fresh === 0) continue;
    taken.push({ subject, count: counter.fresh, counter });
    counter.known += counter.fresh;
    counter.fresh = 0;
  }
  return taken.sort((a, b) => (a.subject < b.subject ? -1 : 1));
}
