import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Guard } from '../process/guard.ts';

type RequestListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Maximum number of requests of one connection that wait for an earlier answer. */
const MAX_WAITING = 64;

/**
 * Answers the requests of a connection one by one, each when the client has received the previous answer. Node itself
 * starts all pipelined requests at once, several hundred, and buffers their answers for a client that never reads them.
 */
export class Pipelining {
  readonly #guard: Guard;
  readonly #listener: RequestListener;
  /** The latest started response of each connection. */
  readonly #current = new WeakMap<object, ServerResponse>();
  readonly #waiting = new WeakMap<object, [IncomingMessage, ServerResponse][]>();

  constructor(guard: Guard, handle: RequestListener) {
    this.#guard = guard;
    this.#listener = handle;
  }

  /** Returns the response in progress of a connection, undefined if all its requests are answered. */
  current(socket: object): ServerResponse | undefined {
    const response = this.#current.get(socket);
    return response?.destroyed ? undefined : response;
  }

  listenTo(server: Server): void {
    const cutOff = (_request: IncomingMessage, response: ServerResponse) => response.destroy();
    server.on('request', this.#guard(this.#take, cutOff));
  }

  /**
   * Closes a connection over which nothing was sent or received for a while, if it is idle or its client does not read. One that waits
   * for its handler stays.
   */
  readonly silent = (socket: Socket): void => {
    if (this.current(socket) === undefined || socket.writableLength > 0) socket.destroy();
  };

  /** Starts a request or queues it. Closes a connection with too many queued requests. */
  readonly #take = (request: IncomingMessage, response: ServerResponse): unknown => {
    const { socket } = request;
    const before = this.current(socket);
    if (before === undefined) {
      this.#current.set(socket, response);
      return this.#listener(request, response);
    }
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, [[request, response]]);
      before.once('close', this.#guardedNext(request));
    } else if (waiting.length < MAX_WAITING) waiting.push([request, response]);
    else socket.destroy();
    return undefined;
  };

  #guardedNext({ socket }: IncomingMessage): () => void {
    const next = () => {
      const [first, ...others] = this.#waiting.get(socket) ?? [];
      this.#waiting.delete(socket);
      if (first === undefined || socket.destroyed) return undefined;
      const [request, response] = first;
      if (others.length > 0) {
        this.#waiting.set(socket, others);
        response.once('close', this.#guardedNext(request));
      }
      this.#current.set(socket, response);
      return this.#listener(request, response);
    };
    return this.#guard(next, () => socket.destroy());
  }
}
