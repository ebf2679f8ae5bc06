import { randomBytes } from 'node:crypto';
import type { StreamKind, StreamOrderProof } from '@hortus/contract/channel/streams';
import type { Bus } from '../bus/bus.ts';
import type { Connection } from '../channel/connection.ts';
import type { Protect } from '../channel/protect.ts';
import { KEYS_TOPIC } from '../identity/authenticator.ts';
import { Problem } from '../problem.ts';
import type { Guard } from '../process/guard.ts';
import { type DaemonStream, KEY_REVOKED } from './daemon-stream.ts';
import { type Hmac, printTicket, type Ticket } from './ticket.ts';

/** Notice with a server that is asked to open a stream; the replica with its connection sends the order. */
export const STREAM_TOPIC = 'stream';
/** Notice with a server whose identity was reset: its streams end. */
export const IDENTITY_RESET_TOPIC = 'stream.identity';

export interface WantedStream {
  readonly serverId: string;
  readonly accountId: string;
  readonly kind: StreamKind;
  /** Name of the instance on the server. */
  readonly instance: string;
  /** First message to the daemon: what it should send, or run. It is signed for this stream alone. */
  readonly order?: object;
}

export interface DaemonStreamsDeps {
  readonly bus: Bus;
  readonly guard: Guard;
  readonly hmac: Hmac;
  readonly protect: Protect;
  /** Signs the first message of a stream. */
  readonly sign: SignOrder;
  /** Connection of a server, if this replica has it. */
  readonly connection: (serverId: string) => Connection | undefined;
  /** Address of this replica for the others. */
  readonly ownUrl: () => string;
  readonly withinMs?: number;
}

/** How long a daemon may take to connect. */
const WITHIN_MS = 10_000;
const IDENTITY_RESET = 'the identity of this server was reset';
/** Streams that are open or awaited, of one server and of this replica. */
const MAX = { perServer: 64, total: 4_096 };

type SignOrder = <Order extends object>(order: Order) => Order & { readonly signature: string };

interface Awaited {
  readonly serverId: string;
  readonly arrived: (stream: DaemonStream) => void;
}

/** Opens streams to daemons: asks over the channel, and waits until the daemon connects back. */
export class DaemonStreams {
  readonly #deps: DaemonStreamsDeps;
  readonly #awaited = new Map<string, Awaited>();
  readonly #servers = new Map<string, number>();
  readonly #open = new Map<DaemonStream, string>();
  readonly #subscriptions: readonly (() => void)[];
  #total = 0;
  #closed = false;

  constructor(deps: DaemonStreamsDeps) {
    this.#deps = deps;
    this.#subscriptions = [
      deps.bus.subscribe(STREAM_TOPIC, (message) => this.#order(message)),
      deps.bus.subscribe(KEYS_TOPIC, (hash) => {
        for (const stream of this.#open.keys()) if (stream.keyHash === hash) stream.revoke(KEY_REVOKED);
      }),
      deps.bus.subscribe(IDENTITY_RESET_TOPIC, (reset) => {
        for (const [stream, serverId] of this.#open) if (serverId === reset) stream.revoke(IDENTITY_RESET);
      }),
    ];
  }

  /** Rejects with a Problem if the daemon does not connect in time. */
  async open({ serverId, accountId, kind, instance, order }: WantedStream): Promise<DaemonStream> {
    const { bus, hmac, ownUrl, guard, withinMs = WITHIN_MS } = this.#deps;
    this.#enter(serverId);
    const streamId = randomBytes(16).toString('base64url');
    try {
      const first = order && this.#signed(order, { kind, serverId, streamId });
      const expiresAt = Date.now() + withinMs;
      const ticket = await printTicket({ streamId, serverId, accountId, replicaUrl: ownUrl(), expiresAt }, hmac);
      const stream = await new Promise<DaemonStream>((arrived, reject) => {
        const late = () => reject(unanswered());
        const timer = setTimeout(guard(late), withinMs);
        this.#awaited.set(streamId, {
          serverId,
          arrived: (found) => {
            clearTimeout(timer);
            arrived(found);
          },
        });
        bus.publish(STREAM_TOPIC, JSON.stringify([serverId, streamId, ticket, kind, instance]));
      });
      this.#keep(stream, serverId);
      if (first !== undefined) stream.send(JSON.stringify(first));
      return stream;
    } catch (error) {
      this.#leave(serverId);
      throw error;
    } finally {
      this.#awaited.delete(streamId);
    }
  }

  /** Streams that are open or awaited. */
  get size(): number {
    return this.#total;
  }

  /** Whether a stream is awaited here. */
  awaits({ streamId, serverId }: Ticket): boolean {
    return !this.#closed && this.#awaited.get(streamId)?.serverId === serverId;
  }

  /** Hands over the connection of a daemon. A ticket is good for one connection. */
  arrive({ streamId }: Ticket, stream: DaemonStream): void {
    const awaited = this.#awaited.get(streamId);
    this.#awaited.delete(streamId);
    if (awaited) awaited.arrived(stream);
    else stream.close();
  }

  close(): void {
    this.#closed = true;
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    for (const stream of this.#open.keys()) stream.close();
  }

  /** Binds an order to the stream, whose opening a daemon accepts once. */
  #signed(order: object, of: { kind: StreamKind; serverId: string; streamId: string }): StreamOrderProof {
    const { kind, serverId: server_id, streamId: stream_id } = of;
    return this.#deps.sign({ ...order, type: 'stream_order' as const, kind, server_id, stream_id });
  }

  /** Sends the order if this replica has the connection of the server. */
  #order(message: string): void {
    const [serverId, stream_id, ticket, kind, instance] = JSON.parse(message) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const connection = this.#deps.connection(serverId);
    if (!connection?.capabilities.has('streams')) return;
    const order = { type: 'stream_open', stream_id, ticket, kind, instance } as const;
    connection.send(this.#deps.protect(order, connection, ['/ticket']));
  }

  #enter(serverId: string): void {
    const here = this.#servers.get(serverId) ?? 0;
    if (this.#closed) throw new Problem('SERVER_ERROR', 'The service is stopping. Try again in a moment.');
    if (here >= MAX.perServer || this.#total >= MAX.total)
      throw new Problem('RATE_LIMITED', 'Too many streams of this server are open. Close some, or try again later.', {
        reason: 'stream_limit',
        retry_after: 5,
      });
    this.#servers.set(serverId, here + 1);
    this.#total++;
  }

  #leave(serverId: string): void {
    const here = this.#servers.get(serverId) ?? 0;
    this.#total--;
    if (here <= 1) this.#servers.delete(serverId);
    else this.#servers.set(serverId, here - 1);
  }

  #keep(stream: DaemonStream, serverId: string): void {
    const ended = () => {
      this.#open.delete(stream);
      this.#leave(serverId);
    };
    this.#open.set(stream, serverId);
    if (stream.signal.aborted) ended();
    else stream.signal.addEventListener('abort', this.#deps.guard(ended), { once: true });
  }
}

const unanswered = (): Problem =>
  new Problem(
    'SERVER_ERROR',
    'The daemon of the server did not connect for the stream in time. Try again; if it repeats, look at the log of hortusd.',
    { reason: 'no_stream' },
  );
