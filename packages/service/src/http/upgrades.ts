import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Guard } from '../process/guard.ts';
import { parseTarget, type Target } from './target.ts';

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer, target: Target) => void;

/**
 * Dispatches each request for an upgrade to the listener of its path and protocol. Other requests that offer an upgrade
 * are answered as plain requests: many clients offer HTTP/2 with every request, and a WebSocket to an unknown path gets
 * a 404.
 */
export class Upgrades {
  readonly #guard: Guard;
  readonly #isFree: (socket: object) => boolean;
  readonly #listeners = new Map<
    string,
    { readonly listener: UpgradeListener; readonly protocols: readonly string[] }
  >();
  /** One function for all sockets: thousands of them are open at a time. */
  readonly #guardedDestroy: (this: Duplex) => void;

  /** `isFree` tells whether a connection may be upgraded now. */
  constructor(guard: Guard, isFree: (socket: object) => boolean = () => true) {
    this.#guard = guard;
    this.#isFree = isFree;
    this.#guardedDestroy = guard(function (this: Duplex) {
      this.destroy();
    });
  }

  /** `protocols` are in lower case. */
  at(path: string, listener: UpgradeListener, protocols: readonly string[] = ['websocket']): void {
    this.#listeners.set(path, { listener, protocols });
  }

  /**
   * Decides whether a request is upgraded; for `shouldUpgradeCallback` of a server. A request in absolute form, with a body, or on a
   * connection that is not free is answered as a plain request.
   */
  readonly takes = ({ method, headers, url = '', socket }: IncomingMessage): boolean => {
    if (method !== 'GET' || headers.upgrade === undefined) return false;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    const { path, authority } = parseTarget(url);
    const known = this.#listeners.get(path)?.protocols.includes(headers.upgrade.toLowerCase());
    return authority === undefined && known === true && this.#isFree(socket);
  };

  listenTo(server: Server): void {
    const destroy = (_request: IncomingMessage, socket: Duplex) => socket.destroy();
    server.on('upgrade', this.#guard(this.#dispatch, destroy));
  }

  readonly #dispatch = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const target = parseTarget(request.url ?? '');
    socket.on('error', this.#guardedDestroy);
    const known = this.#listeners.get(target.path);
    if (known) known.listener(request, socket, head, target);
    else socket.destroy();
  };
}
