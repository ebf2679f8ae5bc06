import { STREAM_TICKET_HEADER } from '@hortus/contract/channel/streams';
import type { ShellOrder, ToShell } from '@hortus/contract/protocol/shell';
import { SHELL_PIECE_BYTES } from '@hortus/contract/protocol/shell-window';
import { until } from '@hortus/testkit/until';
import { WebSocket } from 'ws';
import { DaemonSocket } from './daemon-socket.ts';
import type { Caller } from './running-service.ts';

/** One shell as the daemon sees it; what happens in it is up to the test. */
export class ServedShell {
  readonly socket: WebSocket;
  order: ShellOrder | undefined;
  readonly texts: ToShell[] = [];
  input = Buffer.alloc(0);
  /** Whether it confirms input. */
  confirms = true;
  isClosed = false;

  constructor(socket: WebSocket, component: string) {
    this.socket = socket;
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('message', (data, isBinary) => {
      if (this.order === undefined) {
        this.order = JSON.parse(String(data));
        this.notify({ type: 'started', component: this.order?.component ?? component });
      } else if (isBinary) {
        this.input = Buffer.concat([this.input, data as Buffer]);
        if (this.confirms) this.notify({ type: 'ack', bytes: (data as Buffer).length });
      } else this.texts.push(JSON.parse(String(data)));
    });
  }

  /** Confirmed bytes of output. */
  get confirmed(): number {
    return this.texts.reduce((sum, text) => sum + (text.type === 'ack' ? text.bytes : 0), 0);
  }

  notify(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Sends output without regard for the window. */
  say(data: string | Buffer): void {
    const bytes = Buffer.from(data);
    for (let at = 0; at < bytes.length; at += SHELL_PIECE_BYTES)
      this.socket.send(bytes.subarray(at, at + SHELL_PIECE_BYTES));
  }
}

/** A daemon whose shells are driven by the test, over real sockets. */
export class ShellDaemon {
  readonly channel: DaemonSocket;
  readonly shells: ServedShell[] = [];
  /** Entered if the order names none. */
  component = 'app';

  constructor(base: string, key: string, capabilities: readonly string[], connection_nonce?: string) {
    const address = base.replace('http', 'ws');
    this.channel = new DaemonSocket(`${address}/ws/server`, {
      auth: { api_key: key, capabilities, ...(connection_nonce !== undefined && { connection_nonce }) },
    });
    this.channel.socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.type !== 'stream_open' || message.kind !== 'shell') return;
      const headers = { authorization: `Bearer ${key}`, [STREAM_TICKET_HEADER]: message.ticket };
      const socket = new WebSocket(`${address}/ws/stream`, { headers, perMessageDeflate: false });
      socket.on('error', () => {});
      this.shells.push(new ServedShell(socket, this.component));
    });
  }

  /** Waits for the next shell to be ordered. */
  async next(number = 1): Promise<ServedShell> {
    return await until(() => this.shells.at(number - 1)?.order && this.shells[number - 1], {
      describe: 'the order of a shell',
    });
  }
}

interface ShellDaemonOptions {
  capabilities?: string[];
  base?: string;
  /** Nonce of its connection. */
  nonce?: string;
}

/** Registers a server and connects a daemon; `base` may be that of another replica. */
export async function shellDaemonOf(
  caller: Caller,
  { capabilities = ['ack', 'streams', 'shell'], base = caller.base, nonce }: ShellDaemonOptions = {},
): Promise<{ serverId: string; publicKey: string; daemon: ShellDaemon }> {
  const body = { name: `shells-${Math.random().toString(36).slice(2)}`, environment: 'development' as const };
  const { id, api_key, manifest_public_key } = (await caller.client.call('servers.register', { body })).data;
  const daemon = new ShellDaemon(base, api_key, capabilities, nonce);
  await until(async () => (await caller.client.call('servers.read', { params: { id } })).data.connected, {
    describe: 'the daemon to be connected',
  });
  return { serverId: id, publicKey: manifest_public_key ?? '', daemon };
}
