import type { DaemonUpdateState } from '@hortus/contract/daemon-update';
import type { Server } from '@hortus/contract/resources/server-records';
import { until } from '@hortus/testkit/until';
import { DaemonSocket } from './daemon-socket.ts';
import type { Caller } from './running-service.ts';

export interface UpdateDaemonOptions {
  readonly environment?: Server['environment'];
  readonly labels?: Server['labels'];
  readonly version?: string;
  readonly arch?: string;
  readonly capabilities?: readonly string[];
}

/** The daemon of a server that answers orders to update as a test asks, without a binary. */
export class UpdateDaemon {
  readonly serverId: string;
  readonly name: string;
  readonly #base: string;
  readonly #key: string;
  readonly #options: UpdateDaemonOptions;
  version: string;
  socket: DaemonSocket | undefined;

  constructor(base: string, key: string, server: { id: string; name: string }, options: UpdateDaemonOptions) {
    this.#base = base.replace(/^http/, 'ws');
    this.#key = key;
    this.serverId = server.id;
    this.name = server.name;
    this.#options = options;
    this.version = options.version ?? '1.0.0';
  }

  /** Registers a server without connecting its daemon. */
  static async register({ base, client }: Caller, name: string, options: UpdateDaemonOptions = {}) {
    const { environment = 'staging', labels = {} } = options;
    const { data } = await client.call('servers.register', { body: { name, environment, labels } });
    return new UpdateDaemon(base, data.api_key, data, options);
  }

  static async connected(caller: Caller, name: string, options: UpdateDaemonOptions = {}): Promise<UpdateDaemon> {
    const daemon = await UpdateDaemon.register(caller, name, options);
    await daemon.connect();
    return daemon;
  }

  /** Connects, to another process of the service if its address is given. */
  async connect(base?: string): Promise<void> {
    const { arch = 'x64', capabilities = ['update'] } = this.#options;
    const about = { version: this.version, os: 'linux', arch };
    this.socket = new DaemonSocket(`${base?.replace(/^http/, 'ws') ?? this.#base}/ws/server`, {
      auth: { api_key: this.#key, capabilities: ['ack', ...capabilities], ...about },
    });
    await this.socket.received('authenticated');
  }

  async disconnect(): Promise<void> {
    this.socket?.socket.close();
    await this.socket?.closed;
  }

  /** Orders received on the current connection. */
  get orders() {
    return this.socket?.of('daemon_update') ?? [];
  }

  /** Waits for the order of an update that is not among those already answered. */
  async order(): Promise<{ update_id: string; path: string; release: { version: string } } & Record<string, unknown>> {
    return await until(() => this.orders.at(-1), { describe: `an order to ${this.name}` });
  }

  /** Reports a state of the last order. */
  async report(state: DaemonUpdateState, more: { reason?: string; message?: string } = {}): Promise<void> {
    const { update_id, release } = await this.order();
    this.reportOf(update_id, release.version, state, more);
  }

  reportOf(update_id: string, version: string, state: DaemonUpdateState, more: object = {}): void {
    const running = state === 'done' ? version : this.version;
    this.socket?.send({ type: 'daemon_update_report', update_id, state, version, running, ...more });
  }

  /** Goes through all states of a successful update. */
  async succeed(): Promise<void> {
    for (const state of ['downloading', 'verified', 'trying', 'done'] as const) await this.report(state);
  }
}
