import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { channelPaths, channelTimes, type ToService } from '@hortus/contract/channel/channel';
import { WebSocketServer } from 'ws';
import { LoopTime } from '../http/loop-time.ts';
import type { Upgrades } from '../http/upgrades.ts';
import type { Principal } from '../identity/principal.ts';
import { hashOf } from '../identity/tokens.ts';
import { invalid, Problem, unauthorized } from '../problem.ts';
import { type Guard, guardWith } from '../process/guard.ts';
import type { Log } from '../process/log.ts';
import type { Work } from '../workers/job.ts';
import { capabilitiesOf } from './capabilities.ts';
import { Connection, type Received, type Report, type UnreadGreeting, type UnreadMessage } from './connection.ts';
import { ConnectionRegistry } from './connection-registry.ts';
import { LargeMessages, SMALL_MESSAGE } from './large-messages.ts';
import { READ_MESSAGE, type Read, readMessage } from './messages.ts';
import { PacedAdmission } from './paced-admission.ts';
import { Pinger } from './pinger.ts';
import { ChannelSocket, sharedListeners } from './shared-listeners.ts';
import { UnauthenticatedLimit, type UnauthenticatedLimits } from './unauthenticated-limit.ts';
import { watchUnauthenticatedSocket } from './unauthenticated-socket.ts';

export type Greeting = Extract<ToService, { type: 'auth' }>;
export type { Report };

export interface GatewayHandlers {
  /**
   * Called for a daemon with a valid key. Returns the epoch of the connection, or `standby` for a member of a cluster
   * that does not lead; a Problem refuses it.
   */
  connected(connection: Connection, greeting: Greeting): Promise<number | 'standby'>;
  /** Called when the connection is that of its server and can receive work, and for each new standby. */
  opened(connection: Connection): Promise<void>;
  /**
   * Called for one message at a time per connection. A Problem is an error of the daemon; other errors close the
   * connection, so that the daemon repeats the message.
   */
  message(connection: Connection, message: Report): Promise<void>;
  /** Called after the last message. */
  disconnected(connection: Connection): Promise<void>;
}

export interface GatewayOptions {
  readonly upgrades: Pick<Upgrades, 'at'>;
  readonly refuse: (socket: Duplex, problem: Problem) => void;
  /** Called with the socket of each authenticated daemon. */
  readonly known?: (socket: Duplex) => void;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly authenticate: (key: string, address: string) => Promise<Principal>;
  readonly handlers: GatewayHandlers;
  /** Parses large messages. */
  readonly work: Work;
  readonly log: Pick<Log, 'warn' | 'error' | 'info'>;
  readonly times?: Partial<Record<'authWithinMs' | 'pingEveryMs' | 'missedPings', number>>;
  readonly unauthenticated?: UnauthenticatedLimits;
  readonly clock?: () => number;
}

/** Maximum size of a message, which contains at most the output of an action. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_MALFORMED = 20;
/** Larger messages wait for time on the event loop before they are parsed. */
const TINY_MESSAGE = 16 * 1024;
const CLOSE_WITHIN_MS = 3_000;
const CLOSED_AT_ONCE = 200;
/** Opening a connection takes a fraction of a millisecond: this leaves at least half of the time for other work. */
const OPENED = { atOnce: 16, pauseMs: 8 };

const GOING_AWAY = 1001;
const POLICY = 1008;
const FAILED = 1011;

/** Accepts the connections of daemons. Handles authentication and transport, not the content of messages. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #times: Record<'authWithinMs' | 'pingEveryMs' | 'missedPings', number>;
  readonly #clock: () => number;
  readonly #sockets: WebSocketServer;
  readonly #unauthenticated: UnauthenticatedLimit;
  readonly #guard: Guard;
  readonly #admission: PacedAdmission;
  readonly #pinger: Pinger;
  readonly #all = new Set<Connection>();
  readonly #registry = new ConnectionRegistry();
  readonly #large = new LargeMessages();
  readonly #loop: LoopTime;
  readonly #guarded;
  #closing: (() => void) | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#guard = guardWith(options.log);
    this.#loop = new LoopTime(this.#guard);
    this.#guarded = sharedListeners(this.#guard, (connection, data, isBinary) =>
      this.#receive(connection, data, isBinary),
    );
    this.#admission = new PacedAdmission(OPENED, this.#guard);
    this.#clock = options.clock ?? Date.now;
    this.#times = { ...channelTimes, ...options.times };
    this.#unauthenticated = new UnauthenticatedLimit(options.unauthenticated ?? { total: 4_096, perAddress: 512 });
    this.#pinger = new Pinger({
      everyMs: this.#times.pingEveryMs,
      maxUnanswered: this.#times.missedPings,
      guard: this.#guard,
    });
    const sockets = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      // One segment can contain thousands of messages: each gets an iteration of the event loop of its own.
      allowSynchronousEvents: false,
      maxPayload: MAX_BYTES,
      // The connection answers pings, because it knows whether the daemon reads.
      autoPong: false,
      closeTimeout: CLOSE_WITHIN_MS,
      WebSocket: ChannelSocket,
    };
    this.#sockets = new WebSocketServer(sockets);
    const refuseHandshake = (error: Error, socket: Duplex) =>
      options.refuse(socket, invalid('headers', `${error.message}: this is not a WebSocket handshake.`));
    this.#sockets.on(
      'wsClientError',
      this.#guard(refuseHandshake, (_, socket) => socket.destroy()),
    );
    for (const path of channelPaths) options.upgrades.at(path, this.#upgrade);
    this.#pinger.start();
  }

  /** Returns the connection of a server, if this process has it. */
  connection(serverId: string): Connection | undefined {
    return this.#registry.of(serverId);
  }

  /** Returns the authenticated connections. */
  connections(): IterableIterator<Connection> {
    return this.#registry.servers();
  }

  /** Returns the connections of members of clusters, leading or not. */
  members(): IterableIterator<Connection> {
    return this.#registry.members();
  }

  /** Makes a standby the connection of its server. */
  promote(connection: Connection, epoch: number): void {
    connection.standby = false;
    connection.epoch = epoch;
    if (connection.isOpen && this.#registry.lead(connection)) this.#opened(connection);
  }

  get size(): number {
    return this.#registry.size;
  }

  /** Closes all connections; resolves when their earlier messages have been handled. */
  async close(): Promise<void> {
    if (this.#closing) return;
    const gone = new Promise<void>((done) => {
      this.#closing = done;
    });
    this.#pinger.stop();
    await this.sendAway('the service is stopping');
    if (this.#all.size > 0) {
      // `ws` terminates connections that do not answer; a hanging handler must not block the process forever.
      const late = setTimeout(
        this.#guard(() => this.#closing?.()),
        CLOSE_WITHIN_MS * 2,
      );
      await gone;
      clearTimeout(late);
    }
  }

  /** Closes all connections; the daemons connect again, to any replica. */
  async sendAway(reason: string): Promise<void> {
    let number = 0;
    for (const connection of [...this.#all]) {
      connection.close(GOING_AWAY, reason);
      if (++number % CLOSED_AT_ONCE === 0) await turn();
    }
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const address = this.#options.addressOf(request);
    const problem = this.#obstacle(address);
    if (problem) {
      this.#options.refuse(socket, problem);
      return;
    }
    this.#admission.pass(() => {
      if (this.#closing) {
        this.#unauthenticated.leave(address);
        this.#options.refuse(socket, stopping());
        return;
      }
      this.#open(request, socket, head, address);
    });
  };

  #open(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    let accepted = false;
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      accepted = true;
      this.#accept(opened as ChannelSocket, socket, address);
    });
    if (!accepted) this.#unauthenticated.leave(address);
  }

  #obstacle(address: string): Problem | undefined {
    if (this.#closing) return stopping();
    if (this.#unauthenticated.enter(address)) return undefined;
    return new Problem('RATE_LIMITED', 'Too many unauthenticated connections. Try again in a moment.');
  }

  #accept(socket: ChannelSocket, stream: Duplex, address: string): void {
    const connection = new Connection(socket, stream, address, this.#handle);
    socket.connection = connection;
    this.#all.add(connection);
    watchUnauthenticatedSocket(connection, socket, stream, {
      guard: this.#guard,
      authWithinMs: this.#times.authWithinMs,
    });
    const guardedCount = this.#guard((chunk: Buffer) => {
      connection.unfinishedBytes += chunk.length;
      this.#large.received(connection, connection.unfinishedBytes);
    });
    stream.on('data', guardedCount);
    socket.on('message', this.#guarded.message);
    socket.on('ping', this.#guarded.ping);
    socket.on('close', this.#guarded.close);
    // Only the close that follows matters.
    socket.on('error', this.#guarded.error);
  }

  #receive(connection: Connection, data: Buffer, isBinary: boolean): void {
    if (connection.phase === 'refused' || connection.malformed >= MAX_MALFORMED) return;
    connection.seen(this.#clock());
    connection.unfinishedBytes = 0;
    if (connection.phase === 'greeting') {
      // A terminated socket still emits what it had read.
      if (!connection.isOpen) return;
      connection.phase = 'authenticating';
      connection.receive({ type: 'greeting', data, isBinary }, data.length);
    } else if (isBinary || (data.length <= TINY_MESSAGE && !this.#loop.isSpent)) {
      const message = this.#accepted(connection, readMessage(data, isBinary));
      if (message) connection.receive(message, data.length);
      if (connection.unread === 0) this.#large.handled(connection);
    } else {
      connection.unread++;
      connection.receive({ type: 'unread', data }, data.length);
    }
  }

  /** Returns a message to handle, and counts the ones that no daemon should send. */
  #accepted(connection: Connection, message: Read): Report | undefined {
    if (message === 'malformed' || message === 'costly') {
      const { serverId: server_id, address } = connection;
      const reason = message === 'costly' ? 'it has too many values' : 'it does not have the form of its type';
      this.#options.log.info({ server_id, address, reason }, 'ignored a malformed message of a daemon');
      if (++connection.malformed >= MAX_MALFORMED) connection.close(POLICY, 'too many malformed messages');
      return undefined;
    }
    const isNews = message !== 'unknown' && message.type !== 'pong' && message.type !== 'auth';
    return isNews ? message : undefined;
  }

  async #read(connection: Connection, { data }: UnreadMessage): Promise<void> {
    try {
      const message = this.#accepted(connection, await this.#parsed(connection, data));
      if (message && connection.phase === 'open') await this.#pass(connection, message);
    } catch (err) {
      this.#options.log.error({ server_id: connection.serverId, err }, 'reading a message of a daemon failed');
      connection.close(FAILED, 'internal error, reconnect and repeat');
    } finally {
      connection.unread--;
      this.#large.handled(connection);
    }
  }

  async #parsed({ accountId }: Connection, data: Buffer): Promise<Read> {
    if (data.length <= SMALL_MESSAGE) {
      if (this.#loop.isSpent) await this.#loop.turn();
      return readMessage(data, false);
    }
    try {
      return await this.#options.work.run(READ_MESSAGE, { account: accountId, field: 'message' }, data);
    } catch (error) {
      if (error instanceof Problem && error.code === 'VALIDATION_ERROR') return 'costly';
      throw error;
    }
  }

  readonly #handle = async (connection: Connection, received: Received): Promise<void> => {
    if (received === 'closed') await this.#closed(connection);
    else if (received.type === 'greeting') await this.#greet(connection, received);
    else if (connection.phase !== 'open') return;
    else if (received.type === 'unread') await this.#read(connection, received);
    else await this.#pass(connection, received);
  };

  /** Reads the first message. Thousands of connections can send one at the same moment. */
  async #greet(connection: Connection, { data, isBinary }: UnreadGreeting): Promise<void> {
    if (this.#loop.isSpent) await this.#loop.turn();
    if (connection.phase !== 'authenticating') return;
    const message = readMessage(data, isBinary);
    if (typeof message !== 'string' && message.type === 'auth') await this.#authenticate(connection, message);
    else connection.refuse('the first message must be auth with an api_key');
  }

  async #authenticate(connection: Connection, greeting: Greeting): Promise<void> {
    const { authenticate, handlers, log } = this.#options;
    try {
      const principal = await authenticate(greeting.api_key, connection.address);
      if (principal.kind !== 'server') throw unauthorized('This is not the key of a server.');
      connection.serverId = principal.serverId;
      connection.memberId = principal.memberId ?? '';
      connection.accountId = principal.accountId;
      connection.keyHash = hashOf(greeting.api_key);
      connection.capabilities = capabilitiesOf(greeting.capabilities);
      connection.journal = greeting.journal ?? null;
      connection.sealingKey = greeting.sealing_key ?? null;
      connection.nonce = connection.capabilities.has('nonce') ? (greeting.connection_nonce ?? null) : null;
      const serverState = await handlers.connected(connection, greeting);
      if (serverState === 'standby') connection.standby = true;
      else connection.epoch = serverState;
    } catch (err) {
      if (err instanceof Problem)
        return err.code === 'FORBIDDEN' ? connection.forbid(err.message) : connection.refuse(err.message);
      log.error({ err, address: connection.address }, 'authentication of a daemon failed with an internal error');
      connection.phase = 'refused';
      return connection.close(FAILED, 'internal error, try again');
    }
    connection.phase = 'open';
    connection.resume();
    this.#options.known?.(connection.stream);
    this.#unauthenticated.leave(connection.address);
    this.#register(connection);
  }

  #register(connection: Connection): void {
    const { serverId, capabilities } = connection;
    if (!this.#registry.add(connection)) return;
    this.#pinger.add(connection);
    connection.send({
      type: 'authenticated',
      server_id: serverId,
      capabilities: [...capabilities],
      ping_seconds: Math.ceil(this.#times.pingEveryMs / 1_000),
    });
    this.#opened(connection);
  }

  #opened(connection: Connection): void {
    this.#options.handlers.opened(connection).catch((err) => {
      this.#options.log.error({ err, server_id: connection.serverId }, 'sending work to a new connection failed');
    });
  }

  async #pass(connection: Connection, message: Report): Promise<void> {
    const { handlers, log } = this.#options;
    const about = { server_id: connection.serverId, type: message.type };
    try {
      await handlers.message(connection, message);
    } catch (err) {
      if (err instanceof Problem) return log.info({ ...about, err }, 'a message of a daemon was refused');
      log.error({ ...about, err }, 'handling a message of a daemon failed');
      connection.close(FAILED, 'internal error, reconnect and repeat');
    }
  }

  async #closed(connection: Connection): Promise<void> {
    this.#pinger.delete(connection);
    this.#registry.delete(connection);
    this.#large.handled(connection);
    if (connection.epoch === 0 && !connection.standby) this.#unauthenticated.leave(connection.address);
    else {
      await this.#options.handlers.disconnected(connection).catch((err) => {
        this.#options.log.error({ err, server_id: connection.serverId }, 'recording the end of a connection failed');
      });
    }
    this.#all.delete(connection);
    if (this.#all.size === 0) this.#closing?.();
  }
}

const stopping = (): Problem => new Problem('SERVER_ERROR', 'The service is stopping. Try again in a moment.');
