import type { DaemonUpdateState, UpdateOrder } from '@hortus/contract/releases/daemon-update';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Owned } from './reported-servers.ts';
import { until } from './until.ts';

export interface UpdateDaemonOptions {
  readonly environment?: Server['environment'];
  readonly labels?: Server['labels'];
  readonly version?: string;
  readonly arch?: string;
  readonly capabilities?: readonly string[];
}

type Message = { readonly type: string } & Record<string, unknown>;

/** The daemon of a server that answers orders to update as a test asks, without a binary. */
export class UpdateDaemon {
  readonly serverId: string;
  readonly name: string;
  readonly #base: string;
  readonly #key: string;
  readonly #options: UpdateDaemonOptions;
  version: string;
  #socket: WebSocket | undefined;
  /** Received on the current connection. */
  #received: Message[] = [];

  constructor(base: string, server: { id: string; name: string; api_key: string }, options: UpdateDaemonOptions) {
    this.#base = base;
    this.#key = server.api_key;
    this.serverId = server.id;
    this.name = server.name;
    this.#options = options;
    this.version = options.version ?? '1.0.0';
  }

  /** Registers a server without connecting its daemon. */
  static async register({ base, client }: Owned, name: string, options: UpdateDaemonOptions = {}) {
    const { environment = 'staging', labels = {} } = options;
    const { data } = await client.call('servers.register', { body: { name, environment, labels } });
    return new UpdateDaemon(base, data, options);
  }

  static async connected(owner: Owned, name: string, options: UpdateDaemonOptions = {}): Promise<UpdateDaemon> {
    const daemon = await UpdateDaemon.register(owner, name, options);
    await daemon.connect();
    return daemon;
  }

  /** Connects, to another process of the service if its address is given. */
  async connect(base = this.#base): Promise<void> {
    const { arch = 'x64', capabilities = ['update'] } = this.#options;
    const about = { version: this.version, os: 'linux', arch };
    const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/ws/server`);
    const received: Message[] = [];
    this.#socket = socket;
    this.#received = received;
    socket.addEventListener('error', () => {});
    socket.addEventListener('open', () =>
      this.send({ type: 'auth', api_key: this.#key, capabilities: ['ack', ...capabilities], ...about }),
    );
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.type === 'ping') socket.send(JSON.stringify({ type: 'pong', ts: message.ts }));
      else received.push(message);
    });
    const isClosed = () => socket.readyState === WebSocket.CLOSED;
    const isIn = () => received.some(({ type }) => type === 'authenticated');
    await until(() => isIn() || isClosed(), { describe: `${this.name} to connect` });
    if (isClosed()) throw new Error(`The connection of ${this.name} was closed.`);
  }

  async disconnect(): Promise<void> {
    const socket = this.#socket;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((done) => socket.addEventListener('close', done));
    socket.close();
    await closed;
  }

  /** Does nothing without a connection, as after the death of the service. */
  send(message: Message): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Orders received on the current connection. */
  get orders(): readonly (UpdateOrder & Message)[] {
    return this.#received.filter(({ type }) => type === 'daemon_update') as (UpdateOrder & Message)[];
  }

  /** Waits for an order, and returns the newest. */
  async order(): Promise<UpdateOrder & Message> {
    return await until(() => this.orders.at(-1), { describe: `an order to ${this.name}` });
  }

  /** Reports a state of the newest order. */
  async report(state: DaemonUpdateState, more: { reason?: string; message?: string } = {}): Promise<void> {
    const { update_id, release } = await this.order();
    this.reportOf(update_id, release.version, state, more);
  }

  reportOf(update_id: string, version: string, state: DaemonUpdateState, more: object = {}): void {
    const running = state === 'done' ? version : this.version;
    this.send({ type: 'daemon_update_report', update_id, state, version, running, ...more });
  }

  /** Goes through all states of a successful update. */
  async succeed(): Promise<void> {
    for (const state of ['downloading', 'verified', 'trying', 'done'] as const) await this.report(state);
  }
}
