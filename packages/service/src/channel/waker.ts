import type { Bus } from '../bus/bus.ts';
import { Sweeper } from '../bus/sweeper.ts';
import type { Log } from '../log.ts';
import type { Connection } from './connection.ts';
import type { Gateway } from './gateway.ts';

/** Told with the id of a server that there is work for. */
export const CHANNEL_TOPIC = 'channel';

export interface WakerOptions {
  readonly gateway: Pick<Gateway, 'connection'>;
  readonly bus: Bus;
  readonly log: Pick<Log, 'error'>;
  /** Gives a daemon what waits for it. Called for one connection at a time. */
  readonly wake: (connection: Connection) => Promise<void>;
  /** The servers that work waits for; those that are not connected here are passed over. */
  readonly waiting: () => Promise<readonly string[]>;
  readonly sweepMs?: number;
}

/** Brings work to the daemons that are connected here: at once when the bus tells, and by a sweep that misses nothing. */
export class Waker {
  readonly #options: WakerOptions;
  readonly #sweeper: Sweeper;
  /** Being woken; true when it has to be done once more because something came in meanwhile. */
  readonly #waking = new Map<Connection, boolean>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: WakerOptions) {
    this.#options = options;
    const { log, bus } = options;
    this.#sweeper = new Sweeper({ name: 'looking for work of daemons', log, pauseMs: 50, sweep: () => this.#sweep() });
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

  /** Resolves when the daemon has been given what waited at the moment of the call. */
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
      this.#options.log.error({ err, server_id: serverId }, 'a daemon could not be given its work');
    });
  }

  async #sweep(): Promise<number> {
    for (const serverId of await this.#options.waiting()) this.#wakeServer(serverId);
    return this.#options.sweepMs ?? 3_000;
  }
}
