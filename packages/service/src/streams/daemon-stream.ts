import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { ControlBudget } from '../channel/control-budget.ts';
import type { Guard } from '../guard.ts';

/** Nothing more is sent to a daemon with more unsent bytes. */
const MOST_UNSENT_BYTES = 1024 * 1024;
const POLICY = 1008;
const NORMAL = 1000;

/**
 * A connection that a daemon opened because the service asked for it. Messages in either direction are texts or bytes;
 * their meaning belongs to the kind of the stream.
 */
export class DaemonStream {
  readonly #socket: WebSocket;
  readonly #guard: Guard;
  readonly #over = new AbortController();
  readonly #early: Buffer[] = [];
  #receive: ((data: Buffer) => void) | undefined;

  constructor(socket: WebSocket, guard: Guard) {
    this.#socket = socket;
    this.#guard = (listener) => guard(listener, () => socket.terminate());
    const budget = new ControlBudget();
    const ponged = (payload: Buffer) => {
      if (budget.spend()) socket.pong(payload);
      else socket.close(POLICY, 'too many control frames');
    };
    const received = (data: Buffer) => this.#received(data);
    const closed = () => this.#over.abort();
    socket.on('ping', this.#guard(ponged));
    socket.on('message', this.#guard(received));
    socket.on('close', this.#guard(closed));
    // Only the close that follows matters.
    socket.on(
      'error',
      guard(() => undefined),
    );
  }

  /** Fires when the connection has ended. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Passes every message to the listener, in order; called once. */
  listen(receive: (data: Buffer) => void): void {
    this.#receive = receive;
    for (const data of this.#early.splice(0)) receive(data);
    this.#socket.resume();
  }

  /** Returns false, and sends nothing, if the daemon does not read. */
  send(data: string | Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN || this.#socket.bufferedAmount > MOST_UNSENT_BYTES) return false;
    this.#socket.send(data);
    return true;
  }

  close(): void {
    this.#socket.resume();
    this.#socket.close(NORMAL);
  }

  /** Lets other work run between two messages: a daemon that sends without pause must not occupy the event loop. */
  #received(data: Buffer): void {
    this.#socket.pause();
    if (this.#receive === undefined) {
      this.#early.push(data);
      return;
    }
    this.#receive(data);
    const resume = async () => {
      await nextTurn();
      if (this.#socket.isPaused) this.#socket.resume();
    };
    this.#guard(resume)();
  }
}
