import { type LogOrder, STREAM_TICKET_HEADER, type StreamedLine } from '@hortus/contract/channel/streams';
import { logMatcher } from '@hortus/contract/protocol/log-filter';
import { until } from '@hortus/testkit/until';
import { WebSocket } from 'ws';
import { DaemonSocket } from './daemon-socket.ts';
import type { Caller } from './running-service.ts';

/** A stream_open as the daemon receives it; without a pinned key pair the ticket is readable. */
export interface OpenOrder {
  readonly stream_id: string;
  readonly ticket: string;
  readonly instance: string;
}

/** A daemon that keeps its logs in memory and serves them over real sockets. */
export class LogDaemon {
  readonly channel: DaemonSocket;
  readonly orders: OpenOrder[] = [];
  readonly lines: StreamedLine[] = [];
  /** Connected streams that follow. */
  readonly followers = new Set<WebSocket>();
  /** Whether it connects back when it is asked. */
  responds = true;
  reads = 0;
  /** Lines that it reports as dropped in its next page. */
  dropped = 0;
  readonly #base: string;
  readonly #key: string;
  #position = 1_000;

  constructor(base: string, key: string, capabilities: readonly string[] = ['ack', 'streams']) {
    this.#base = base.replace('http', 'ws');
    this.#key = key;
    this.channel = new DaemonSocket(`${this.#base}/ws/server`, { auth: { api_key: key, capabilities } });
    this.channel.socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.type !== 'stream_open') return;
      this.orders.push(message);
      if (this.responds) this.#serve(message.ticket);
    });
  }

  /** Adds lines and sends them to all who follow. */
  write(...texts: string[]): StreamedLine[] {
    const added = texts.map((text) => this.#line(text));
    this.lines.push(...added);
    this.send({ lines: added });
    return added;
  }

  /** Sends a message to all who follow. */
  send(message: unknown): void {
    for (const socket of this.followers) socket.send(JSON.stringify(message));
  }

  /** Connects for a stream, with this or another ticket. */
  dial(ticket: string, { key = this.#key, base = this.#base } = {}): WebSocket {
    const headers = { authorization: `Bearer ${key}`, [STREAM_TICKET_HEADER]: ticket };
    const socket = new WebSocket(`${base}/ws/stream`, { headers, perMessageDeflate: false });
    socket.on('error', () => {});
    return socket;
  }

  #serve(ticket: string): void {
    const socket = this.dial(ticket);
    socket.on('close', () => this.followers.delete(socket));
    socket.on('message', (data) => {
      const order = JSON.parse(String(data)) as LogOrder;
      const end = this.#position;
      if (order.mode === 'follow') {
        socket.send(JSON.stringify({ from: end }));
        this.followers.add(socket);
        return;
      }
      this.reads++;
      const matches = logMatcher(order);
      const { after, before = Number.POSITIVE_INFINITY, limit, component } = order;
      const found = this.lines.filter(
        (line) =>
          matches(line) &&
          line.position > (after ?? 0) &&
          line.position < before &&
          (component === undefined || line.component === component),
      );
      const lines = after === undefined ? found.slice(limit === 0 ? found.length : -limit) : found.slice(0, limit);
      for (let from = 0; from < lines.length; from += 500)
        socket.send(JSON.stringify({ lines: lines.slice(from, from + 500) }));
      socket.send(JSON.stringify({ end, more: lines.length < found.length, dropped: this.dropped }));
      this.dropped = 0;
    });
  }

  #line(text: string): StreamedLine {
    const position = ++this.#position;
    return {
      position,
      at: `${1_760_000_000 + position}.000000000`,
      component: position % 2 === 0 ? 'app' : 'db',
      replica: 1,
      container: 'abcdef012345',
      stream: 'stdout',
      level: null,
      text,
      cut: false,
    };
  }
}

/** Registers a server and connects a daemon; resolves when the service knows that it is online. */
export async function logDaemonOf(
  caller: Caller,
  capabilities?: readonly string[],
): Promise<{ serverId: string; key: string; daemon: LogDaemon }> {
  const body = { name: `logs-${Math.random().toString(36).slice(2)}`, environment: 'development' as const };
  const { id, api_key } = (await caller.client.call('servers.register', { body })).data;
  const daemon = new LogDaemon(caller.base, api_key, capabilities);
  await until(async () => (await caller.client.call('servers.read', { params: { id } })).data.connected, {
    describe: 'the daemon to be connected',
  });
  return { serverId: id, key: api_key, daemon };
}

/** Creates a deployed instance on a server. */
export async function instanceOn(
  { client }: Caller,
  server_id: string,
  instance_uid = `blog-${Math.random().toString(36).slice(2)}`,
): Promise<string> {
  const inputs = { WEB_HOSTNAME: `${instance_uid}.example.org`, SMTP_PASSWORD: 'hunter2hunter2' };
  const definition = { species: 'inkwell', instance_uid, server_id, inputs };
  const definition_id = (await client.call('definitions.create', { body: definition })).data.id;
  const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
  await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  const [instance] = (await client.call('instances.list', { query: { definition_id } })).data;
  return instance?.id ?? '';
}
