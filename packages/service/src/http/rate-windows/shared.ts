import type { Guard } from '../../guard.ts';
import type { Storage } from '../../storage/storage.ts';
import { type Counter, type RateLimiter, type RateWindow, WINDOW_MS } from '../rate-limit.ts';
import { addCounts, deleteWindowsBefore } from './store.ts';

const EVERY_MS = 100;

/**
 * Adds up the counts of all replicas in the database, about ten times a second. Between two sums a replica counts on top
 * of the last one it knows, so together they may let through what arrives within that time, and no more. A database that
 * does not answer leaves each replica with its own count.
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

  /** Adds up once; a call during another joins it. */
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
    } catch {
      // Nothing was written: what was taken is still to be sent. The log tells of the database elsewhere.
      for (const { counter, count } of sent) {
        counter.known -= count;
        counter.fresh += count;
      }
    }
  }
}

/** What was counted since the last sum, in an order all replicas share, so that none of them waits for another in a circle. */
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
