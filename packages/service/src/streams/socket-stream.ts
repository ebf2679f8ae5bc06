import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { ControlBudget } from '../channel/control-budget.ts';
import type { Guard } from '../process/guard.ts';

/** Nothing more is sent to a peer with more unsent bytes. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** Unsent messages and bytes after which a sender should wait; small messages cost more memory than their bytes. */
const ENOUGH = { messages: 256, bytes: 512 * 1024 };
/** Turns of the event loop that read what has arrived and pass it on; the last is for a peer in this process, which answers in the first. */
const READING_TURNS = 3;
const POLICY = 1008;
const NORMAL = 1000;

/** A message that waits for a listener, or for the one before it. */
interface Received {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** Handles a message. The next one is read after the promise has resolved. */
export type Receive = (data: Buffer, isBinary: boolean) => void | Promise<void>;

/**
 * A WebSocket of a daemon that the service asked for, or of a client. Messages in either direction are texts or bytes;
 * their meaning belongs to the kind of the stream.
 */
export class SocketStream {
  readonly #socket: WebSocket;
  readonly #guard: Guard;
  readonly #over = new AbortController();
  readonly #waiting: Received[] = [];
  #receive: Receive | undefined;
  #isHandling = false;
  #isReceived = true;
  #isClosed = false;
  #unsent = 0;
  #draining: (() => void)[] = [];

  constructor(socket: WebSocket, guard: Guard) {
    this.#socket = socket;
    this.#guard = (listener) => guard(listener, () => socket.terminate());
    const budget = new ControlBudget();
    const pinged = (payload: Buffer) => {
      this.#isReceived = true;
      if (budget.spend()) socket.pong(payload);
      else socket.close(POLICY, 'too many control frames');
    };
    const ponged = () => {
      this.#isReceived = true;
    };
    const received = (data: Buffer, isBinary: boolean) => this.#received({ data, isBinary });
    const closed = () => {
      this.#isClosed = true;
      this.#release();
      if (!this.#isHandling) this.#over.abort();
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

  /** Fires when the connection has ended and everything that was received before has been handled. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** False as soon as the peer begins to close; messages of it may still wait to be handled. */
  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Passes every message to the listener, in order; called once. */
  listen(receive: Receive): void {
    this.#receive = receive;
    this.#guard(() => this.#handle())();
  }

  /** Returns false, and sends nothing, if the peer does not read. */
  send(data: string | Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN || this.#socket.bufferedAmount > MAX_UNSENT_BYTES) return false;
    this.#unsent++;
    this.#socket.send(data, this.#sent);
    return true;
  }

  /** Resolves when the peer has read enough, or the connection has ended. */
  async drained(): Promise<void> {
    while (!this.#isClosed && !this.#hasRoom) await new Promise<void>((done) => this.#draining.push(done));
  }

  /** Whether few enough messages wait to be sent. */
  get #hasRoom(): boolean {
    return this.#unsent < ENOUGH.messages && this.#socket.bufferedAmount < ENOUGH.bytes;
  }

  readonly #sent = () => {
    this.#unsent--;
    if (this.#draining.length > 0 && this.#hasRoom) this.#release();
  };

  #release(): void {
    for (const done of this.#draining.splice(0)) done();
  }

  /**
   * Resolves to false if nothing has arrived since the ping before. Reads first: after a pause of this process its timers
   * fire before it reads an answer, however long ago that arrived.
   */
  async ping(): Promise<boolean> {
    for (let turn = 0; turn < READING_TURNS && !this.#isReceived; turn++) await nextTurn();
    if (!this.#isReceived) return false;
    this.#isReceived = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    return true;
  }

  close(): void {
    this.#socket.resume();
    this.#socket.close(NORMAL);
  }

  /** Ends it because the peer is no longer trusted; what that still sends is ignored. */
  revoke(reason: string): void {
    this.#receive = () => undefined;
    this.#waiting.length = 0;
    this.#socket.resume();
    this.#socket.close(POLICY, reason);
    this.#over.abort();
  }

  /** Ends the connection without waiting for the peer. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Pauses the socket. Messages that it has already read still arrive, and wait here. */
  #received(message: Received): void {
    this.#isReceived = true;
    this.#socket.pause();
    this.#waiting.push(message);
    this.#guard(() => this.#handle())();
  }

  /** Lets other work run between two messages: a peer that sends without pause must not occupy the event loop. */
  async #handle(): Promise<void> {
    if (this.#receive === undefined || this.#isHandling) return;
    this.#isHandling = true;
    try {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
        const handled = this.#receive(next.data, next.isBinary);
        if (handled) await handled;
        await nextTurn();
      }
    } finally {
      this.#isHandling = false;
    }
    if (this.#isClosed) this.#over.abort();
    else if (this.#socket.isPaused) this.#socket.resume();
  }
}
