import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { Sweeper } from '../bus/sweeper.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { EVENTS_TOPIC } from './append.ts';
import { hasUntold, lockLastSeq, type SequencedEvent, saveLastSeq, takeUntold } from './store.ts';

/** Told of each event once, in the transaction that numbers it: what it writes is there if and only if the number is. */
export type EventSubscriber = (tx: Tx, events: readonly SequencedEvent[]) => Promise<void>;

export interface DispatcherOptions {
  readonly storage: Storage;
  readonly bus: Bus;
  readonly subscribers: readonly EventSubscriber[];
  readonly log: Pick<Logger, 'error'>;
  /** A notice may be lost; at the latest after this long the events are found anyway. */
  readonly sweepMs?: number;
  readonly pauseMs?: number;
}

const MOST_AT_ONCE = 500;

/**
 * Gives committed events their `seq` and tells the subscribers. With the one writer of SQLite the position of an event is
 * its number from the start. On PostgreSQL only what is committed can be seen and so be numbered: a transaction that
 * commits late, with a lower `position` than others, is numbered when it is there and missed by nobody who follows `seq`.
 * Changes of one resource hold its row while they write, so the later of two commits after the earlier one and has the
 * higher position; taking the lowest positions first therefore keeps the order of each resource.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #sweeper: Sweeper;
  #unsubscribe: (() => void) | undefined;
  /** That events were written since the last look. */
  #told = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#sweeper = new Sweeper({
      name: 'numbering events',
      log: options.log,
      // Under load one commit numbers the events of many: each costs an fsync that requests would wait for.
      pauseMs: options.pauseMs ?? 25,
      sweep: async () => ((await this.#dispatch()) ? 0 : (options.sweepMs ?? 1_000)),
    });
    options.bus.onGap(() => this.#sweeper.wake());
  }

  start(): void {
    this.#unsubscribe = this.#options.bus.subscribe(EVENTS_TOPIC, () => {
      this.#told = true;
      this.#sweeper.wake();
    });
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#sweeper.stop();
  }

  /** True if there may be more. */
  async #dispatch(): Promise<boolean> {
    const { storage, subscribers } = this.#options;
    // Nobody told us, or another replica may have been quicker: then no row is held and no write transaction begun.
    const sure = this.#told && storage.engine === 'sqlite';
    this.#told = false;
    if (!sure && !(await hasUntold(storage.reader))) return false;
    return await storage.write(async (tx) => {
      const last = await lockLastSeq(tx);
      const events = await takeUntold(tx, last, MOST_AT_ONCE);
      const newest = events.at(-1);
      if (!newest) return false;
      await saveLastSeq(tx, newest.seq);
      for (const subscriber of subscribers) await subscriber(tx, events);
      return events.length === MOST_AT_ONCE;
    });
  }
}
