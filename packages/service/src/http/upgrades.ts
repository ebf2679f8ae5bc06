import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Guard } from '../guard.ts';
import { parseTarget, type Target } from './target.ts';

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer, target: Target) => void;

/**
 * Dispatches each request for a WebSocket to the listener of its path. Other requests that offer an upgrade are
 * answered as plain requests: many clients offer HTTP/2 with every request, and a WebSocket to an unknown path gets a
 * 404.
 */
export class Upgrades {
  readonly #guard: Guard;
  readonly #isFree: (socket: object) => boolean;
  readonly #listeners = new Map<string, UpgradeListener>();
  /** One function for all sockets: thousands of them are open at a time. */
  readonly #guardedDestroy: (this: Duplex) => void;

  /** `isFree` tells whether a connection may become a WebSocket now. */
  constructor(guard: Guard, isFree: (socket: object) => boolean = () => true) {
    this.#guard = guard;
    this.#isFree = isFree;
    this.#guardedDestroy = guard(function (this: Duplex) {
      this.destroy();
    });
  }

  at(path: string, listener: UpgradeListener): void {
    this.#listeners.set(path, listener);
  }

  /**
   * Decides whether a request is upgraded; for `shouldUpgradeCallback` of a server. A request in absolute form, with a body, or on a
   * connection that is not free is answered as a plain request.
   */
  readonly takes = ({ method, headers, url = '', socket }: IncomingMessage): boolean => {
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    const { path, authority } = parseTarget(url);
    return authority === undefined && this.#listeners.has(path) && this.#isFree(socket);
  };

  listenTo(server: Server): void {
    const destroy = (_request: IncomingMessage, socket: Duplex) => socket.destroy();
    server.on('upgrade', this.#guard(this.#dispatch, destroy));
  }

  readonly #dispatch = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const target = parseTarget(request.url ?? '');
    socket.on('error', this.#guardedDestroy);
    const listener = this.#listeners.get(target.path);
    if (listener) listener(request, socket, head, target);
    else socket.destroy();
  };
}
