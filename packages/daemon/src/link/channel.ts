import { channelTimes, closeCodes } from '@hortus/contract/channel/channel';
import type { BackoffTimes } from '@hortus/contract/runtime/backoff';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import WebSocket from 'ws';
import { Backoff } from '../concurrency/backoff.ts';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { ConnectionOrders } from '../trust/connection-orders.ts';
import { MAX_MESSAGE_BYTES } from './message-limits.ts';
import { CAPABILITIES, type FromService, readMessage } from './messages.ts';

export interface ChannelTimes extends BackoffTimes {
  /** Longest silence of the service; three ping intervals if it announces one. */
  silenceMs: number;
  /** Pause after a rejected key, and the minimum after another connection has taken over. */
  turnedAwayMs: number;
}

export const standardTimes: ChannelTimes = {
  firstMs: 1_000,
  maxMs: 60_000,
  silenceMs: channelTimes.pingEveryMs * (channelTimes.missedPings + 1),
  turnedAwayMs: channelTimes.replacedWaitMs,
};

export interface ChannelOptions {
  baseUrl: string;
  key(): string;
  /** Announced beside those that every daemon has. */
  capabilities?: readonly string[];
  /** Fields of the introduction. */
  about(): Promise<Record<string, unknown>>;
  onMessage(message: FromService): void;
  /** Called when the service has accepted the connection. */
  onUp(): void;
  /** Called when the service closed the connection because another member leads the cluster. */
  onDeposed?(): void;
  /** Ignores the time over which the service spreads the reconnects of a large fleet. */
  isUrgent?: boolean;
  log: Log;
  times?: Partial<ChannelTimes>;
}

/** Connection of the daemon to the service; reconnects by itself. */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #times: ChannelTimes;
  readonly #backoff: Backoff;
  #socket: WebSocket | undefined;
  #orders = new ConnectionOrders();
  #offered: readonly string[] = [];
  #silenceMs: number;
  /** Time over which the service wants its daemons to spread their reconnects. */
  #spreadMs = 0;
  #up = false;
  #replaced = false;
  #forbidden = false;
  #retry: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#times = { ...standardTimes, ...options.times };
    this.#backoff = new Backoff(this.#times);
    this.#silenceMs = this.#times.silenceMs;
  }

  get up(): boolean {
    return this.#up;
  }

  /** Whether another daemon with our key has taken over the connection. */
  get replaced(): boolean {
    return this.#replaced;
  }

  /** Whether the service refused this daemon: another key pair is pinned, or it is of the wrong kind for the server. */
  get forbidden(): boolean {
    return this.#forbidden;
  }

  /** Takes the orders of the present connection. */
  get orders(): Pick<ConnectionOrders, 'take'> {
    return this.#orders;
  }

  /** Whether the service announced this capability. */
  offers(capability: (typeof CAPABILITIES)[number]): boolean {
    return this.#up && this.#offered.includes(capability);
  }

  start(): void {
    this.#connect().catch((error: Error) => this.#closed(undefined, error.message));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#watchdog);
    this.#socket?.close(1000);
    // Do not wait for the close handshake.
    this.#socket?.terminate();
  }

  /** Returns false if the channel is not connected. */
  send(message: { type: string } & Record<string, unknown>): boolean {
    if (!this.#up || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  async #connect(): Promise<void> {
    const { baseUrl, about, key, capabilities = [] } = this.#options;
    const introduction = await about();
    if (this.#stopped) return;
    const url = `${withoutTrailing(baseUrl.replace(/^http/, 'ws'), '/')}/ws/server`;
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      allowSynchronousEvents: false,
      handshakeTimeout: 15_000,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
    });
    this.#socket = socket;
    const orders = new ConnectionOrders();
    this.#orders = orders;
    let reason = '';
    const { log } = this.#options;
    const introduce = () => {
      const announced = [...CAPABILITIES, ...capabilities];
      const bound = { capabilities: announced, connection_nonce: orders.nonce };
      socket.send(JSON.stringify({ type: 'auth', api_key: key(), ...bound, ...introduction }));
      this.#seen();
    };
    const failed = (error: Error) => {
      reason = error.message;
    };
    const closed = (code: number, text: Buffer) => {
      if (this.#socket === socket) this.#closed(code, String(text) || reason);
    };
    const received = (data: WebSocket.RawData) => this.#received(String(data));
    const onReceived = () => this.#seen();
    socket.on('open', guarded(log, introduce));
    socket.on('message', guarded(log, received));
    socket.on('ping', guarded(log, onReceived));
    socket.on('error', guarded(log, failed));
    socket.on('close', guarded(log, closed));
  }

  #received(text: string): void {
    // A service that knows only the published messages sends nothing before its first ping or request.
    const message = readMessage(text);
    if (message?.type === 'authenticated') {
      this.#offered = message.capabilities ?? [];
      if (message.ping_seconds !== undefined)
        this.#silenceMs = message.ping_seconds * 1_000 * (channelTimes.missedPings + 1);
    }
    this.#seen();
    if (!this.#up) {
      this.#up = true;
      this.#replaced = false;
      this.#forbidden = false;
      this.#backoff.reset();
      this.#options.log.info('connected to the service');
      this.#options.onUp();
    }
    if (message === undefined) return;
    if (message.type === 'ping') {
      this.#spreadMs = Number.isFinite(message.spread_ms) ? (message.spread_ms as number) : 0;
      this.send({ type: 'pong', ...(message.ts === undefined ? {} : { ts: message.ts }) });
    } else this.#options.onMessage(message);
  }

  #seen(): void {
    clearTimeout(this.#watchdog);
    const giveUp = () => this.#socket?.terminate();
    this.#watchdog = setTimeout(guarded(this.#options.log, giveUp), this.#silenceMs);
  }

  #closed(code: number | undefined, reason: string): void {
    clearTimeout(this.#watchdog);
    this.#up = false;
    this.#offered = [];
    this.#silenceMs = this.#times.silenceMs;
    if (this.#stopped) return;
    const { log } = this.#options;
    let pause = this.#backoff.next(this.#options.isUrgent ? 0 : this.#spreadMs);
    if (code === closeCodes.unauthorized) {
      pause = this.#times.turnedAwayMs;
      log.error({ reason }, 'the service rejected the server key; rotate it and configure the new one');
    } else if (code === closeCodes.forbidden) {
      pause = this.#times.turnedAwayMs;
      this.#forbidden = true;
      // The reason says what to do: reset the identity of a reinstalled daemon, or start it with or without --cluster.
      log.error({ reason }, 'the service refused this daemon');
    } else if (code === closeCodes.replaced) {
      pause = this.#times.turnedAwayMs + pause;
      this.#replaced = true;
      log.error('another daemon with the same server key took over; check for a copy of this machine');
    } else {
      if (code === closeCodes.deposed) this.#options.onDeposed?.();
      log.warn({ code, reason, retry_ms: Math.round(pause) }, 'disconnected from the service');
    }
    const again = () => this.start();
    this.#retry = setTimeout(guarded(log, again), pause);
  }
}
