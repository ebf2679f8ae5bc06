import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Guard } from '../guard.ts';
import { parseTarget, type Target } from './target.ts';

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer, target: Target) => void;

/** What Node keeps on a socket while a request of it is being answered. */
type AnsweringSocket = Duplex & { readonly _httpMessage?: object | null };

/**
 * Hands each request for a WebSocket to the one listener of its path. Everything else that offers an upgrade is answered as the
 * request that it also is: many clients offer HTTP/2 with every request, and a WebSocket to another path gets the 404 of that path.
 */
export class Upgrades {
  readonly #guard: Guard;
  readonly #isRefused: (socket: object) => boolean;
  readonly #listeners = new Map<string, UpgradeListener>();
  /** One function for all sockets: thousands of them are open at a time. */
  readonly #guardedDestroy: (this: Duplex) => void;

  /** What `isRefused` is answered as a plain request, too. */
  constructor(guard: Guard, isRefused: (socket: object) => boolean = () => false) {
    this.#guard = guard;
    this.#isRefused = isRefused;
    this.#guardedDestroy = guard(function (this: Duplex) {
      this.destroy();
    });
  }

  at(path: string, listener: UpgradeListener): void {
    this.#listeners.set(path, listener);
  }

  /**
   * For `shouldUpgradeCallback` of a server. Refused, and so answered in its turn as a plain request, is also what is in absolute
   * form, what has a body, and what comes behind a request on the same connection that is not answered yet.
   */
  readonly takes = ({ method, headers, url = '', socket }: IncomingMessage): boolean => {
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    if ((socket as AnsweringSocket)._httpMessage || this.#isRefused(socket)) return false;
    const { path, authority } = parseTarget(url);
    return authority === undefined && this.#listeners.has(path);
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
