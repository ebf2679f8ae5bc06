import type { Channel } from '../link/channel.ts';
import type { Term } from '../link/leadership.ts';
import type { FromService } from '../link/messages.ts';

/** Refers to a value that exists only after those who use it. */
export class Late<Value> {
  #value: Value | undefined;

  bind(value: Value): void {
    this.#value = value;
  }

  /** Throws before `bind`: a part called another one while the parts were still being connected. */
  get(): Value {
    if (this.#value === undefined) throw new Error('A part of the daemon was used before all parts were connected.');
    return this.#value;
  }
}

/**
 * Calls from parts to others that are created after them, because these need them. Everything else in `wiring/` is passed
 * from the earlier part to the later one.
 */
export interface LateCalls {
  /** Leadership renews its lease over the channel. The channel describes the engine, whose fence asks leadership. */
  send: Channel['send'];
  /** The lease began: prepare for it. */
  beginTerm(term: Term): void;
  /** The lease ended: stop the work that it allowed. */
  endTerm(): void;
  /** Reads what other members deployed, before this one acts. */
  catchUp(): Promise<void>;
  /** This member may act now. */
  actInTerm(): void;
  /** The pool of subnets is empty. Unused networks are found and removed through the engine, which the pool is a layer of. */
  reclaimNetworks(): Promise<void>;
  /** A message of the service; the parts that handle it send over the same channel. */
  receive(message: FromService): void;
  /** The service accepted the connection. */
  connected(): void;
}
