import type { ServerResponse } from 'node:http';
import type { Guard } from '../process/guard.ts';

/** One server-sent event. `data` is sent as JSON. */
export interface LiveEvent {
  /** Returned by the client as Last-Event-ID; without line breaks. */
  readonly id?: string;
  readonly event: string;
  readonly data: object;
}

/** An event as bytes, for producers that send the same one to many streams. */
export interface PreparedEvent {
  readonly bytes: Buffer;
}

/** The stream as its producer sees it. */
export interface LiveStream {
  /** Fires when the stream has ended: client gone, credential revoked, service stopping, or `end` called. */
  readonly signal: AbortSignal;
  /**
   * Sends an event. Returns false, and sends nothing, while the client has not read enough of the earlier ones, and
   * after the end: await `drained` and write it again, or leave it out and tell the client so.
   */
  write(event: LiveEvent | PreparedEvent): boolean;
  /**
   * Tells the client from which id to resume although no event with that id was sent, because none matched. The first
   * is sent at once, later ones with the next heartbeat.
   */
  mark(id: string): void;
  /** Resolves when there is room again, or when the stream has ended. */
  drained(): Promise<void>;
  end(): void;
}

/** Unsent bytes of one stream; what the kernel holds comes on top. One larger event is accepted if nothing else waits. */
export const MAX_UNSENT_BYTES = 64 * 1024;

/** Writes server-sent events to a response whose headers are sent. */
export class ResponseStream implements LiveStream {
  readonly #response: ServerResponse;
  readonly #over = new AbortController();
  readonly #flushed: () => void;
  /** Sizes of the writes that the socket has not taken yet, in order. */
  readonly #writes: number[] = [];
  #unsent = 0;
  /** Size of the event that was refused last; `drained` waits until it fits. */
  #refused = 0;
  /** The line of an id to send with the next heartbeat; empty if there is none, undefined before the first. */
  #mark: string | undefined;
  #waiting: (() => void)[] = [];
  #wroteAt = performance.now();

  constructor(response: ServerResponse, guard: Guard) {
    this.#response = response;
    const closed = () => this.#ended();
    response.on('close', guard(closed));
    const flushed = () => {
      this.#unsent -= this.#writes.shift() ?? 0;
      if (this.#hasRoom) this.#release();
    };
    this.#flushed = guard(flushed);
    // A write to a connection that has just been reset; 'close' follows.
    response.on(
      'error',
      guard(() => undefined),
    );
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  write(event: LiveEvent | PreparedEvent): boolean {
    const sent = this.#send('bytes' in event ? event.bytes : frame(event));
    if (sent) this.#mark = '';
    return sent;
  }

  mark(id: string): void {
    const isFirst = this.#mark === undefined;
    this.#mark = `id: ${id}\n`;
    if (isFirst) this.#sendMark('');
  }

  /** Tells the client how long to wait before it reconnects. */
  retryAfter(ms: number): void {
    this.#send(`retry: ${Math.round(ms)}\n\n`);
  }

  /** Sends a comment if nothing was sent for a while and nothing waits, so that proxies keep the connection open. */
  heartbeat(quietMs: number): void {
    if (this.#unsent === 0 && (this.#mark || performance.now() - this.#wroteAt >= quietMs)) this.#sendMark(':\n');
  }

  #sendMark(comment: string): void {
    if (this.#send(`${this.#mark ?? ''}${comment}\n`)) this.#mark = '';
  }

  drained(): Promise<void> {
    if (this.#hasRoom || this.signal.aborted) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  end(): void {
    if (this.signal.aborted) return;
    this.#response.end();
    this.#ended();
  }

  get #hasRoom(): boolean {
    return this.#unsent === 0 || this.#unsent + Math.max(this.#refused, MAX_UNSENT_BYTES / 2) <= MAX_UNSENT_BYTES;
  }

  #send(text: string | Buffer): boolean {
    const response = this.#response;
    if (this.signal.aborted || response.destroyed) return false;
    const size = Buffer.byteLength(text);
    if (this.#unsent > 0 && this.#unsent + size > MAX_UNSENT_BYTES) {
      this.#refused = size;
      return false;
    }
    this.#refused = 0;
    this.#unsent += size;
    this.#writes.push(size);
    response.write(text, this.#flushed);
    this.#wroteAt = performance.now();
    return true;
  }

  #ended(): void {
    this.#over.abort();
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}

/** Returns the text of one event. JSON has no line breaks of its own. */
export const frame = ({ id, event, data }: LiveEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

export const prepareEvent = (event: LiveEvent): PreparedEvent => ({ bytes: Buffer.from(frame(event)) });

/** Writes an event as soon as the client has room for it. Returns false if the stream has ended. */
export async function writeWhole(stream: LiveStream, event: LiveEvent | PreparedEvent): Promise<boolean> {
  while (!stream.write(event)) {
    if (stream.signal.aborted) return false;
    await stream.drained();
  }
  return true;
}
