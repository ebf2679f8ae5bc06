import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Guard } from '../guard.ts';

type RequestListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Requests of one connection that may wait for the answer to an earlier one. */
const MOST_WAITING = 64;

/**
 * Answers the requests of a connection one after the other, each when the client has taken the answer before it. Node itself starts all
 * requests that arrive in one piece, several hundred, and keeps their answers in memory for a client that never reads them.
 */
export class Pipelining {
  readonly #guard: Guard;
  readonly #answer: RequestListener;
  /** Of each connection the response that was begun last. */
  readonly #current = new WeakMap<object, ServerResponse>();
  readonly #waiting = new WeakMap<object, [IncomingMessage, ServerResponse][]>();

  constructor(guard: Guard, answer: RequestListener) {
    this.#guard = guard;
    this.#answer = answer;
  }

  /** The response that a connection is busy with, undefined if all its requests are answered. */
  current(socket: object): ServerResponse | undefined {
    const response = this.#current.get(socket);
    return response?.destroyed ? undefined : response;
  }

  listenTo(server: Server): void {
    const cutOff = (_request: IncomingMessage, response: ServerResponse) => response.destroy();
    server.on('request', this.#guard(this.#take, cutOff));
  }

  /** Starts a request, or lets it wait. Closes a connection with too many that wait. */
  readonly #take = (request: IncomingMessage, response: ServerResponse): unknown => {
    const { socket } = request;
    const before = this.current(socket);
    if (before === undefined) {
      this.#current.set(socket, response);
      return this.#answer(request, response);
    }
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, [[request, response]]);
      before.once('close', this.#guardedNext(request));
    } else if (waiting.length < MOST_WAITING) waiting.push([request, response]);
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
      return this.#answer(request, response);
    };
    return this.#guard(next, () => socket.destroy());
  }
}
