import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { Sweeper } from '../bus/sweeper.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { EVENTS_TOPIC, NUMBERED_TOPIC } from './append.ts';
import { hasUntold, lockLastSeq, type SequencedEvent, saveLastSeq, takeUntold } from './store.ts';

/**
 * Called once for each event, in the transaction that numbers it, so that its writes and the number are committed
 * together.
 */
export type EventSubscriber = (tx: Tx, events: readonly SequencedEvent[]) => Promise<void>;

export interface DispatcherOptions {
  readonly storage: Storage;
  readonly bus: Bus;
  readonly subscribers: readonly EventSubscriber[];
  readonly log: Pick<Logger, 'error'>;
  /** Interval of the sweep that finds events whose notice was lost. */
  readonly sweepMs?: number;
  readonly pauseMs?: number;
}

const MAX_AT_ONCE = 500;

/**
 * Assigns `seq` to committed events and calls the subscribers. SQLite has one writer, so the position of an event is
 * its number. On PostgreSQL only committed events are visible: a transaction that commits late, with a lower `position`
 * than others, is numbered when it is visible, and readers that follow `seq` do not miss it. Changes of one resource
 * lock its row, so the later one commits later and has the higher position; taking the lowest positions first therefore
 * keeps the order of each resource.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #sweeper: Sweeper;
  #unsubscribe: (() => void) | undefined;
  /** Whether events were written since the last round. */
  #reported = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#sweeper = new Sweeper({
      name: 'numbering events',
      log: options.log,
      // Under load one commit numbers many events: each commit costs an fsync that requests would wait for.
      pauseMs: options.pauseMs ?? 25,
      sweep: async () => ((await this.#dispatch()) ? 0 : (options.sweepMs ?? 1_000)),
    });
    options.bus.onGap(() => this.#sweeper.wake());
  }

  start(): void {
    this.#unsubscribe = this.#options.bus.subscribe(EVENTS_TOPIC, () => {
      this.#reported = true;
      this.#sweeper.wake();
    });
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#sweeper.stop();
  }

  /** Returns true if there may be more. */
  async #dispatch(): Promise<boolean> {
    const { storage, subscribers } = this.#options;
    // Without a notice, or if another replica may have been faster, check first, so that no write transaction is
    // started needlessly.
    const sure = this.#reported && storage.engine === 'sqlite';
    this.#reported = false;
    if (!sure && !(await hasUntold(storage.reader))) return false;
    return await storage.write(async (tx) => {
      const last = await lockLastSeq(tx);
      const events = await takeUntold(tx, last, MAX_AT_ONCE);
      const newest = events.at(-1);
      if (!newest) return false;
      await saveLastSeq(tx, newest.seq);
      tx.notify(NUMBERED_TOPIC);
      for (const subscriber of subscribers) await subscriber(tx, events);
      return events.length === MAX_AT_ONCE;
    });
  }
}
