import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Slots } from '../../concurrency/turns.ts';
import { type Negotiated, negotiate } from './api-version.ts';
import { type Call, Connection, type EngineResponse } from './connection.ts';
import type { Timeouts } from './timeouts.ts';

/**
 * Containers that are created or started at the same time. A hundred at once take as long together as one after the other, but the
 * engine locks each of them meanwhile, and reading one then exceeds its time limit.
 */
const STARTING_AT_ONCE = 8;

/** Connection that prefixes paths with the negotiated version. */
export class DockerApi {
  readonly timeouts: Timeouts;
  readonly starting = new Slots(STARTING_AT_ONCE);
  readonly #connection: Connection;
  #negotiated: Promise<Negotiated> | undefined;

  constructor(socketPath: string, timeouts: Timeouts) {
    this.timeouts = timeouts;
    this.#connection = new Connection(socketPath);
  }

  /** Negotiates once; again after a failure or `forget`, because the engine may have been upgraded. */
  negotiated(): Promise<Negotiated> {
    this.#negotiated ??= negotiate(this.#connection, this.timeouts).catch((error) => {
      this.#negotiated = undefined;
      throw error;
    });
    return this.#negotiated;
  }

  forget(): void {
    this.#negotiated = undefined;
  }

  async call(call: Call, expected?: readonly number[]): Promise<EngineResponse> {
    return await this.#connection.call(await this.#versioned(call), expected);
  }

  async json<T>(call: Call): Promise<T> {
    return await this.#connection.json<T>(await this.#versioned(call));
  }

  async stream(call: Call, options?: { mayBeSilent?: boolean }): Promise<IncomingMessage> {
    return await this.#connection.stream(await this.#versioned(call), options);
  }

  async talk(call: Call): Promise<Duplex> {
    return await this.#connection.talk(await this.#versioned(call));
  }

  close(): void {
    this.#connection.close();
  }

  async #versioned(call: Call): Promise<Call> {
    return { ...call, path: (await this.negotiated()).prefix + call.path };
  }
}
