import { callerAddress } from '../../http/caller-address.ts';
import { type Served, serve } from '../../http/testing/serve.ts';
import { DaemonSocket, type DaemonSocketOptions } from '../../testing/daemon-socket.ts';
import { QuietLog } from '../../testing/quiet-log.ts';
import { onThisThread } from '../../workers/testing/on-this-thread.ts';
import type { Connection } from '../connection.ts';
import { Gateway, type GatewayHandlers, type GatewayOptions, type Report } from '../gateway.ts';

/**
 * A gateway on the real HTTP layer that records the calls of its handlers. Every name that begins with `srv_` is a
 * valid key.
 */
export class GatewayHarness {
  readonly gateway: Gateway;
  readonly served: Served;
  readonly log = new QuietLog();
  readonly reports: Report[] = [];
  readonly gone: Connection[] = [];
  readonly #sockets: DaemonSocket[] = [];
  #epoch = 0;

  constructor(served: Served, { handlers, ...options }: Changes = {}) {
    this.served = served;
    const addressOf = callerAddress(['127.0.0.0/8']);
    this.gateway = new Gateway({
      upgrades: served.http.upgrades,
      refuse: served.http.refuse,
      addressOf: ({ socket, headers }) => addressOf(socket.remoteAddress, headers['x-forwarded-for'] as string),
      authenticate: async (key, address) => {
        if (key.startsWith('srv_')) return { kind: 'server', serverId: key, accountId: 'acc_a', plan: 'free' };
        return await served.http.authenticate(key, address);
      },
      work: onThisThread,
      log: { ...this.log, info: () => {} },
      handlers: {
        connected: async () => ++this.#epoch,
        opened: async () => {},
        message: async (_connection, message) => void this.reports.push(message),
        disconnected: async (connection) => void this.gone.push(connection),
        ...handlers,
      },
      ...options,
    });
  }

  /** Opens a socket that sends nothing by itself. */
  socket(options: DaemonSocketOptions = {}, path = '/api/v1/ws/server'): DaemonSocket {
    const socket = new DaemonSocket(`${this.served.url.replace('http', 'ws')}${path}`, options);
    this.#sockets.push(socket);
    return socket;
  }

  /** Opens an authenticated daemon socket, and returns it with the service's end of its connection. */
  async daemon(key = 'srv_1', auth: Partial<DaemonSocketOptions['auth']> = {}, options: DaemonSocketOptions = {}) {
    const before = this.gateway.connection(key);
    const daemon = this.socket({ ...options, auth: { api_key: key, ...auth } });
    for (;;) {
      const connection = this.gateway.connection(key);
      if (connection && connection !== before) return { daemon, connection };
      await new Promise((next) => setTimeout(next, 1));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#sockets) socket.terminate();
    await this.gateway.close();
    await this.served.http.close();
  }
}

type Changes = Partial<Omit<GatewayOptions, 'handlers'>> & { readonly handlers?: Partial<GatewayHandlers> };

export const openGateway = async (changes: Changes = {}): Promise<GatewayHarness> =>
  new GatewayHarness(await serve(), changes);
