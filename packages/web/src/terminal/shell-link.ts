/** Bytes on their way in one direction, and of one message; the limits of /ws/shell (docs/decisions/shell.md). */
const WINDOW = 256 * 1024;
const PIECE = 32 * 1024;

/** The part of a WebSocket that is used. */
export type Socket = Pick<WebSocket, 'send' | 'close'> & { readonly readyState: number };

/** How a shell ended, in words. */
export type Ending = { readonly code: number } | { readonly problem: string };

export interface LinkEvents {
  /** Shows output; resolves when it is on the screen. */
  readonly onOutput: (bytes: Uint8Array) => Promise<void>;
  readonly onStarted: (component: string) => void;
  readonly onEnded: (ending: Ending) => void;
}

/**
 * Talks to a shell over a WebSocket. Output is confirmed when it is on the screen, and input waits for its confirmation, so
 * that neither a slow terminal nor a large paste is dropped or queued without bound.
 */
export class ShellLink {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #onTheirWay = 0;
  #isOver = false;

  constructor(socket: Socket, events: LinkEvents) {
    this.#socket = socket;
    this.#events = events;
  }

  /** Handles a message of the service. */
  async received(message: ArrayBuffer | string): Promise<void> {
    if (typeof message === 'string') {
      this.#reported(JSON.parse(message));
      return;
    }
    await this.#events.onOutput(new Uint8Array(message));
    this.#say({ type: 'ack', bytes: message.byteLength });
  }

  /** The connection has closed; after an exit or an error that is expected. */
  closed(): void {
    this.#end({ problem: 'The connection was lost, and the shell was ended. Open another one.' });
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    for (let start = 0; start < bytes.length; start += PIECE) this.#waiting.push(bytes.subarray(start, start + PIECE));
    this.#sendWaiting();
  }

  resize(cols: number, rows: number): void {
    this.#say({ type: 'resize', cols, rows });
  }

  #reported(text: { type: string; bytes?: number; code?: unknown; message?: string; component?: string }): void {
    if (text.type === 'ack') {
      this.#onTheirWay -= text.bytes ?? 0;
      this.#sendWaiting();
    } else if (text.type === 'started') this.#events.onStarted(text.component ?? '');
    else if (text.type === 'exit') this.#end({ code: Number(text.code) });
    else if (text.type === 'error') this.#end({ problem: text.message ?? 'The shell failed.' });
  }

  #sendWaiting(): void {
    for (;;) {
      const piece = this.#waiting[0];
      if (!piece || this.#isOver || this.#onTheirWay + piece.length > WINDOW) return;
      this.#waiting.shift();
      this.#onTheirWay += piece.length;
      this.#socket.send(piece);
    }
  }

  #say(text: object): void {
    if (!this.#isOver && this.#socket.readyState === 1) this.#socket.send(JSON.stringify(text));
  }

  #end(ending: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    this.#socket.close();
    this.#events.onEnded(ending);
  }
}
