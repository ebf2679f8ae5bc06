import WebSocket from 'ws';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import type { Stream } from './stream.ts';

/** Unsent bytes of one stream. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const NORMAL = 1000;

/** A stream over an open WebSocket. */
export class SocketStream implements Stream {
  readonly #socket: WebSocket;
  readonly #log: Log;
  readonly #over = new AbortController();
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket, log: Log) {
    this.#socket = socket;
    this.#log = log;
    // Messages that arrive before someone listens stay in the socket.
    socket.pause();
    const closed = () => {
      this.#over.abort();
      this.#release();
    };
    socket.on('close', guarded(log, closed));
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  send(data: string | Buffer): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN || !this.#hasRoom) return false;
    const sent = () => {
      if (this.#hasRoom) this.#release();
    };
    this.#socket.send(data, guarded(this.#log, sent));
    return true;
  }

  drained(): Promise<void> {
    if (this.signal.aborted || this.#hasRoom) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  listen(receive: (data: Buffer, isBinary: boolean) => void): void {
    const received = (data: WebSocket.RawData, isBinary: boolean) => receive(data as Buffer, isBinary);
    this.#socket.on('message', guarded(this.#log, received));
    this.#socket.resume();
  }

  close(): void {
    this.#socket.close(NORMAL);
  }

  get #hasRoom(): boolean {
    return this.#socket.bufferedAmount < MAX_UNSENT_BYTES;
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}
