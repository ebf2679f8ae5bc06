import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';
import type { Guard } from '../process/guard.ts';

export interface ConnectionLimits {
  readonly perAddress: number;
  readonly total: number;
}

/** Many daemons may share one address: connections with a verified key are not counted. */
const connectionLimits: ConnectionLimits = { perAddress: 1_024, total: 16_384 };

export interface ConnectionLimitDeps {
  readonly limits?: ConnectionLimits | undefined;
  readonly guard: Guard;
  /**
   * Returns the key under which a connection is counted; undefined if it is not counted, such as that of a trusted
   * proxy.
   */
  readonly countedFor: (peer: string) => string | undefined;
}

/**
 * Counts the connections of each address. Requests on a connection above the limit are refused; a connection above twice the limit is
 * closed at once.
 */
export class ConnectionLimit {
  readonly #deps: ConnectionLimitDeps;
  readonly #limits: ConnectionLimits;
  readonly #addresses = new Map<string, number>();
  readonly #counted = new Map<Socket, string>();
  readonly #over = new Set<object>();

  constructor(deps: ConnectionLimitDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? connectionLimits;
  }

  listenTo(server: Server): void {
    const limit = this;
    const guardedForget = this.#deps.guard(function (this: Socket) {
      limit.forget(this);
    });
    const opened = (socket: Socket) => {
      const address = this.#deps.countedFor(socket.remoteAddress ?? '');
      if (address === undefined) return;
      const here = (this.#addresses.get(address) ?? 0) + 1;
      const { perAddress, total } = this.#limits;
      if (here > 2 * perAddress || this.#counted.size >= 2 * total) {
        socket.destroy();
        return;
      }
      if (here > perAddress || this.#counted.size >= total) this.#over.add(socket);
      this.#addresses.set(address, here);
      this.#counted.set(socket, address);
      socket.once('close', guardedForget);
    };
    server.on(
      'connection',
      this.#deps.guard(opened, (socket) => socket.destroy()),
    );
  }

  /** Returns why requests on this connection are refused; undefined if they are not. */
  refusal(socket: object): Problem | undefined {
    if (this.#over.size === 0 || !this.#over.has(socket)) return undefined;
    const message = `More than ${this.#limits.perAddress} connections from this address, or too many in all.`;
    return new Problem('RATE_LIMITED', message, { retry_after: 1 });
  }

  /** Stops counting a connection that is closed, or that belongs to a daemon with a verified key. */
  forget(socket: object): void {
    const address = this.#counted.get(socket as Socket);
    if (address === undefined) return;
    this.#counted.delete(socket as Socket);
    this.#over.delete(socket);
    const left = (this.#addresses.get(address) ?? 0) - 1;
    if (left > 0) this.#addresses.set(address, left);
    else this.#addresses.delete(address);
  }
}
