import { until } from '@hortus/testkit/until';
import { type ClientOptions, WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
type Message = any;

export interface DaemonSocketOptions extends ClientOptions {
  /** Sent as soon as the socket is open. */
  readonly auth?: { readonly api_key: string; readonly capabilities?: readonly string[] } & Record<string, unknown>;
  /** Answers pings, like a live daemon. */
  readonly pongs?: boolean;
}

/** The daemon's end of the channel, without a daemon. */
export class DaemonSocket {
  readonly socket: WebSocket;
  /** Resolves with the close code; 1006 means that the connection ended without a close frame. */
  readonly closed: Promise<number>;
  reason = '';
  readonly #received: Message[] = [];

  constructor(url: string, { auth, pongs = true, ...options }: DaemonSocketOptions = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    this.socket.on('error', () => {});
    this.socket.on('open', () => {
      if (auth) this.send({ type: 'auth', ...auth });
    });
    this.socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      this.#received.push(message);
      if (pongs && message.type === 'ping') this.send({ type: 'pong', ts: message.ts });
    });
    this.closed = new Promise((done) => {
      this.socket.on('close', (code, reason) => {
        this.reason = String(reason);
        done(code);
      });
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' || message instanceof Buffer ? message : JSON.stringify(message));
  }

  /** Received messages except pings. */
  get messages(): Message[] {
    return this.#received.filter(({ type }) => type !== 'ping');
  }

  of(type: string): Message[] {
    return this.#received.filter((message) => message.type === type);
  }

  /** Waits for the first message of a type. */
  async received(type: string): Promise<Message> {
    return await until(() => this.of(type)[0], { describe: `a message of type ${type}` });
  }

  opened(): Promise<unknown> {
    return until(() => this.isOpen, { describe: 'the socket to be open' });
  }
}
