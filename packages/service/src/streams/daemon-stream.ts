import { setImmediate as nextTurn } from 'node:timers/promises';
import { STREAM_PING_MS } from '@hortus/contract/streams';
import type { WebSocket } from 'ws';
import { ControlBudget } from '../channel/control-budget.ts';
import type { Guard } from '../guard.ts';

/** Nothing more is sent to a daemon with more unsent bytes. */
const MOST_UNSENT_BYTES = 1024 * 1024;
const POLICY = 1008;
const NORMAL = 1000;
export const KEY_REVOKED = 'this key is no longer valid';

export interface DaemonStreamOptions {
  readonly guard: Guard;
  /** Hash of the server key with which the daemon connected. */
  readonly keyHash: string;
  /** Checked with every ping: the notice of a revoked key may get lost. */
  readonly isKeyValid: () => Promise<boolean>;
  readonly pingEveryMs?: number;
}

/**
 * A connection that a daemon opened because the service asked for it. Messages in either direction are texts or bytes;
 * their meaning belongs to the kind of the stream.
 */
export class DaemonStream {
  readonly #socket: WebSocket;
  readonly #guard: Guard;
  readonly #over = new AbortController();
  readonly #early: Buffer[] = [];
  readonly keyHash: string;
  readonly #isKeyValid: () => Promise<boolean>;
  #receive: ((data: Buffer) => void) | undefined;
  #isHeard = true;

  constructor(socket: WebSocket, { guard, keyHash, isKeyValid, pingEveryMs = STREAM_PING_MS }: DaemonStreamOptions) {
    this.#socket = socket;
    this.keyHash = keyHash;
    this.#isKeyValid = isKeyValid;
    this.#guard = (listener) => guard(listener, () => socket.terminate());
    const budget = new ControlBudget();
    const pinged = (payload: Buffer) => {
      this.#isHeard = true;
      if (budget.spend()) socket.pong(payload);
      else socket.close(POLICY, 'too many control frames');
    };
    const ponged = () => {
      this.#isHeard = true;
    };
    const received = (data: Buffer) => this.#received(data);
    const check = () => this.#check();
    const pinging = setInterval(this.#guard(check), pingEveryMs);
    const closed = () => {
      clearInterval(pinging);
      this.#over.abort();
    };
    socket.on('ping', this.#guard(pinged));
    socket.on('pong', this.#guard(ponged));
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

  /** Ends it because its daemon is no longer trusted; what that still sends is ignored. */
  revoke(reason: string): void {
    this.#receive = () => undefined;
    this.#socket.resume();
    this.#socket.close(POLICY, reason);
    this.#over.abort();
  }

  /** Ends a connection whose daemon is gone, which TCP may not notice for hours, or whose key was revoked. */
  async #check(): Promise<void> {
    if (!this.#isHeard) return this.#socket.terminate();
    this.#isHeard = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    if (!(await this.#isKeyValid())) this.revoke(KEY_REVOKED);
  }

  /** Lets other work run between two messages: a daemon that sends without pause must not occupy the event loop. */
  #received(data: Buffer): void {
    this.#isHeard = true;
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
