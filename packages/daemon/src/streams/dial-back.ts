import type { KeyObject } from 'node:crypto';
import {
  STREAM_MESSAGE_BYTES,
  STREAM_PING_MS,
  STREAM_TICKET_HEADER,
  type StreamKind,
} from '@hortus/contract/channel/streams';
import WebSocket from 'ws';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { requireStreamOrder } from '../trust/stream-order.ts';
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
  /** Who may order, and for which server. */
  identity: { readonly publicKey: KeyObject | undefined; readonly serverId: string | undefined };
  kinds: Readonly<Record<StreamKind, ServeStream>>;
  log: Log;
}

/** Streams at a time. */
const MAX = 64;

/** Connects to the service for the streams that it asks for. No server opens a port. */
export class DialBack {
  readonly #options: DialBackOptions;
  /** Kinds of the open streams. */
  readonly #open = new Map<WebSocket, string>();

  constructor(options: DialBackOptions) {
    this.#options = options;
  }

  open({ stream_id, ticket, kind, instance }: StreamOrder): void {
    const { service, identity, kinds, log } = this.#options;
    if (!Object.hasOwn(kinds, kind) || this.#open.size >= MAX) {
      log.warn({ kind }, 'a stream was refused: its kind is unknown, or too many are open');
      return;
    }
    const url = `${service.baseUrl.replace(/^http/, 'ws')}/ws/stream`;
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      allowSynchronousEvents: false,
      handshakeTimeout: 15_000,
      maxPayload: STREAM_MESSAGE_BYTES,
      followRedirects: false,
      headers: { authorization: `Bearer ${service.key}`, [STREAM_TICKET_HEADER]: ticket },
    });
    this.#open.set(socket, kind);
    let isResponding = true;
    const ping = () => {
      if (!isResponding) return socket.terminate();
      if (socket.readyState !== WebSocket.OPEN) return;
      isResponding = false;
      socket.ping();
    };
    const ponged = () => {
      isResponding = true;
    };
    // Lets proxies keep a silent connection, and finds out that the service is gone.
    const pinging = setInterval(guarded(log, ping), STREAM_PING_MS);
    const opened = async () => {
      const stream = new SocketStream(socket, log);
      const requireSigned = (order: unknown) => {
        const { publicKey: key, serverId } = identity;
        try {
          requireStreamOrder(order, { key, serverId, streamId: stream_id, kind });
        } catch (error) {
          log.error({ stream: stream_id, kind, err: error }, 'an order was rejected');
          throw error;
        }
      };
      await kinds[kind as StreamKind](stream, { instance, requireSigned });
      stream.close();
    };
    const failed = (error: Error) => log.debug({ stream: stream_id, kind, err: error }, 'a stream failed');
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
