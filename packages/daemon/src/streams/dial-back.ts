import { STREAM_MESSAGE_BYTES, STREAM_PING_MS, STREAM_TICKET_HEADER, type StreamKind } from '@hortus/contract/streams';
import WebSocket from 'ws';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { SocketStream } from './socket-stream.ts';
import type { ServeStream } from './stream.ts';

export interface StreamOrder {
  stream_id: string;
  ticket: string;
  kind: string;
  instance: string;
}

export interface DialBackOptions {
  /** Base address and key of the service. */
  service: { readonly baseUrl: string; readonly key: string };
  kinds: Readonly<Record<StreamKind, ServeStream>>;
  log: Log;
}

/** Streams at a time. */
const MOST = 64;

/** Connects to the service for the streams that it asks for. No server opens a port. */
export class DialBack {
  readonly #options: DialBackOptions;
  /** Kinds of the open streams. */
  readonly #open = new Map<WebSocket, string>();

  constructor(options: DialBackOptions) {
    this.#options = options;
  }

  open({ stream_id, ticket, kind, instance }: StreamOrder): void {
    const { service, kinds, log } = this.#options;
    if (!Object.hasOwn(kinds, kind) || this.#open.size >= MOST) {
      log.warn('a stream was refused: its kind is unknown, or too many are open', { kind });
      return;
    }
    const url = `${service.baseUrl.replace(/^http/, 'ws')}/ws/stream`;
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: 15_000,
      maxPayload: STREAM_MESSAGE_BYTES,
      followRedirects: false,
      headers: { authorization: `Bearer ${service.key}`, [STREAM_TICKET_HEADER]: ticket },
    });
    this.#open.set(socket, kind);
    let isAnswered = true;
    const ping = () => {
      if (!isAnswered) return socket.terminate();
      if (socket.readyState !== WebSocket.OPEN) return;
      isAnswered = false;
      socket.ping();
    };
    const ponged = () => {
      isAnswered = true;
    };
    // Lets proxies keep a silent connection, and finds out that the service is gone.
    const pinging = setInterval(guarded(log, ping), STREAM_PING_MS);
    const opened = async () => {
      const stream = new SocketStream(socket, log);
      await kinds[kind as StreamKind](stream, instance);
      stream.close();
    };
    const failed = (error: Error) => log.debug('a stream failed', { stream: stream_id, kind, error });
    const served = () => {
      opened().catch((error: Error) => {
        failed(error);
        socket.terminate();
      });
    };
    const ended = () => {
      clearInterval(pinging);
      this.#open.delete(socket);
    };
    socket.on('open', guarded(log, served));
    socket.on('pong', guarded(log, ponged));
    socket.on('error', guarded(log, failed));
    socket.on('close', guarded(log, ended));
  }

  /** Ends the streams of some kinds, so that their readers open them again at the daemon that leads now. */
  end(kinds: readonly StreamKind[]): void {
    const ended: readonly string[] = kinds;
    for (const [socket, kind] of this.#open) if (ended.includes(kind)) socket.terminate();
  }

  stop(): void {
    for (const socket of this.#open.keys()) socket.terminate();
  }
}
