import type { Bus } from '../bus/bus.ts';
import { Sweeper } from '../bus/sweeper.ts';
import type { Log } from '../process/log.ts';
import type { Connection } from './connection.ts';
import type { Gateway } from './gateway.ts';

/** Notice with the id of a server that has pending work. */
export const CHANNEL_TOPIC = 'channel';

export interface WakerOptions {
  readonly gateway: Pick<Gateway, 'connection'>;
  readonly bus: Bus;
  readonly log: Pick<Log, 'error'>;
  /** Sends a daemon its pending work. Called for one connection at a time. */
  readonly wake: (connection: Connection) => Promise<void>;
  /** Returns the servers with pending work; those that are not connected here are skipped. */
  readonly waiting: () => Promise<readonly string[]>;
  readonly sweepMs?: number;
}

/** Sends work to the connected daemons: at once on a notice of the bus, and by a periodic sweep as a fallback. */
export class Waker {
  readonly #options: WakerOptions;
  readonly #sweeper: Sweeper;
  /** Connections being woken; true if another round is needed because of a later notice. */
  readonly #waking = new Map<Connection, boolean>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: WakerOptions) {
    this.#options = options;
    const { log, bus } = options;
    this.#sweeper = new Sweeper({
      name: 'finding pending work of daemons',
      log,
      pauseMs: 50,
      sweep: () => this.#sweep(),
    });
    bus.onGap(() => this.#sweeper.wake());
  }

  start(): void {
    this.#unsubscribe = this.#options.bus.subscribe(CHANNEL_TOPIC, (serverId) => this.#wakeServer(serverId));
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#sweeper.stop();
  }

  /** Resolves when the daemon has been sent the work that was pending at the call. */
  async wake(connection: Connection): Promise<void> {
    if (this.#waking.has(connection)) {
      this.#waking.set(connection, true);
      return;
    }
    try {
      do {
        this.#waking.set(connection, false);
        await this.#options.wake(connection);
      } while (this.#waking.get(connection) && connection.isOpen);
    } finally {
      this.#waking.delete(connection);
    }
  }

  #wakeServer(serverId: string): void {
    const connection = this.#options.gateway.connection(serverId);
    if (!connection) return;
    this.wake(connection).catch((err) => {
      this.#options.log.error({ err, server_id: serverId }, 'sending work to a daemon failed');
    });
  }

  async #sweep(): Promise<number> {
    for (const serverId of await this.#options.waiting()) this.#wakeServer(serverId);
    return this.#options.sweepMs ?? 3_000;
  }
}
