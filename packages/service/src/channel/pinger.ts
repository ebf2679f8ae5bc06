import type { Guard } from '../process/guard.ts';
import type { Connection } from './connection.ts';

export interface PingerOptions {
  /** Interval in which every connection is pinged once. */
  readonly everyMs: number;
  readonly maxUnanswered: number;
  readonly slices?: number;
  readonly guard: Guard;
  readonly clock?: () => number;
}

const SLICES = 100;
/** Pings in one turn of the event loop; the rest of a slice waits for the next turns, and orders go out in between. */
const AT_ONCE = 10;
/**
 * A service that restarts gets its daemons back at this pace and answers other callers meanwhile: libuv accepts one connection in
 * each turn of the event loop, so callers would wait behind thousands of daemons.
 */
const RECONNECT_EVERY_MS = 0.6;
/** Below this, the backoff of daemons spreads them enough. */
const MIN_SPREAD_MS = 1_000;

/**
 * Pings one slice of the connections at a time, spread over the interval: pinging ten thousand at once would block the
 * process for longer than an action takes.
 */
export class Pinger {
  readonly #options: PingerOptions;
  readonly #slices: Set<Connection>[];
  #timer: NodeJS.Timeout | undefined;
  #next = 0;
  #size = 0;

  constructor(options: PingerOptions) {
    this.#options = options;
    this.#slices = Array.from({ length: options.slices ?? SLICES }, () => new Set());
  }

  start(): void {
    const ping = () => this.#pingSlice();
    this.#timer = setInterval(this.#options.guard(ping), this.#options.everyMs / this.#slices.length);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Adds to the smallest slice, so that they stay even. */
  add(connection: Connection): void {
    let emptiest = 0;
    for (let i = 1; i < this.#slices.length; i++) if (this.#sizeOf(i) < this.#sizeOf(emptiest)) emptiest = i;
    connection.slice = emptiest;
    this.#slices[emptiest]?.add(connection);
    this.#size++;
  }

  delete(connection: Connection): void {
    if (this.#slices[connection.slice]?.delete(connection)) this.#size--;
  }

  #sizeOf(slice: number): number {
    return (this.#slices[slice] as Set<Connection>).size;
  }

  #pingSlice(): void {
    const slice = this.#slices[this.#next] as Set<Connection>;
    this.#next = (this.#next + 1) % this.#slices.length;
    if (slice.size === 0) return;
    const spread_ms = Math.round(this.#size * RECONNECT_EVERY_MS);
    const ts = (this.#options.clock ?? Date.now)();
    this.#pingNext(
      slice.values(),
      JSON.stringify({ type: 'ping', ts, ...(spread_ms >= MIN_SPREAD_MS && { spread_ms }) }),
    );
  }

  #pingNext(connections: Iterator<Connection>, text: string): void {
    for (let number = 0; number < AT_ONCE; number++) {
      const { value: connection, done } = connections.next();
      if (done) return;
      if (!connection.ping(text, this.#options.maxUnanswered)) connection.terminate();
    }
    const rest = () => this.#pingNext(connections, text);
    setImmediate(this.#options.guard(rest));
  }
}
