import type { Guard } from '../guard.ts';
import type { Connection } from './connection.ts';

export interface PingerOptions {
  /** Interval in which every connection is pinged once. */
  readonly everyMs: number;
  readonly mostUnanswered: number;
  readonly slices?: number;
  readonly guard: Guard;
  readonly clock?: () => number;
}

const SLICES = 100;

/**
 * Pings one slice of the connections at a time, spread over the interval: pinging ten thousand at once would block the
 * process for longer than an action takes.
 */
export class Pinger {
  readonly #options: PingerOptions;
  readonly #slices: Set<Connection>[];
  #timer: NodeJS.Timeout | undefined;
  #next = 0;

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
  }

  delete(connection: Connection): void {
    this.#slices[connection.slice]?.delete(connection);
  }

  #sizeOf(slice: number): number {
    return (this.#slices[slice] as Set<Connection>).size;
  }

  #pingSlice(): void {
    const slice = this.#slices[this.#next] as Set<Connection>;
    this.#next = (this.#next + 1) % this.#slices.length;
    if (slice.size === 0) return;
    const text = JSON.stringify({ type: 'ping', ts: (this.#options.clock ?? Date.now)() });
    for (const connection of slice) {
      if (!connection.ping(text, this.#options.mostUnanswered)) connection.terminate();
    }
  }
}
