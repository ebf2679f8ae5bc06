import type { Duplex } from 'node:stream';
import {
  type Capability,
  closeCodes,
  neededCapability,
  type ToDaemon,
  type ToService,
} from '@hortus/contract/channel/channel';
import type { WebSocket } from 'ws';
import { capabilitiesOf } from './capabilities.ts';
import { ControlBudget } from './control-budget.ts';
import { Inbox } from './inbox.ts';
import type { OrderBinding } from './protect.ts';

/** Nothing is sent to a daemon with more unsent bytes until it reads again. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

/** Maximum length of the reason of a close frame; `ws` throws above it. Our reasons are ASCII. */
const MAX_REASON_LENGTH = 123;

/** Close code of RFC 6455; daemons connect again after it. */
const INTERNAL_ERROR = 1011;

const needed: Readonly<Record<string, Capability | undefined>> = neededCapability;
const nothingAsked = capabilitiesOf();

/** States of a connection, in order. A refused one never becomes open. */
export type Phase = 'greeting' | 'authenticating' | 'open' | 'refused';

/** A message that is parsed when its turn comes. */
export interface UnreadMessage {
  readonly type: 'unread';
  readonly data: Buffer;
}

/** The first message of a connection. */
export interface UnreadGreeting {
  readonly type: 'greeting';
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** A message of an authenticated daemon. */
export type Report = Exclude<ToService, { type: 'auth' | 'pong' }>;

export type Received = Report | UnreadMessage | UnreadGreeting | 'closed';

/** Reasons not to read from a daemon: its own messages wait, or those of its account do. */
const holds = { inbox: 1, account: 2 } as const;
type Hold = keyof typeof holds;

/** The connection of one daemon. There may be ten thousand, so an idle one must use little memory. */
export class Connection {
  /** The underlying stream. */
  readonly stream: Duplex;
  readonly address: string;
  readonly #socket: WebSocket;
  readonly #handle: (connection: Connection, received: Received) => Promise<void>;
  /** Exists only while it has messages. */
  #inbox: Inbox<Received> | undefined;

  phase: Phase = 'greeting';
  serverId = '';
  /** Member of a cluster whose daemon this is; empty for an ordinary server. */
  memberId = '';
  /** Number of this connection among those of its member. */
  memberConnection = 0;
  /** Whether another member leads: it is connected, and receives no orders. */
  standby = false;
  /** When its leadership ends unless it is renewed, in milliseconds since 1970. */
  leaseUntil = 0;
  /** First epoch of its member since another one led the cluster. */
  leaderSince = 0;
  accountId = '';
  /** Hash of the authenticated key; the connection is closed when that key is revoked. */
  keyHash = '';
  /** Hash of the rotated key, once delivered on this connection. */
  handedKeyHash = '';
  /** Grows with every connection of the server; 0 until it is known. */
  epoch = 0;
  capabilities: ReadonlySet<Capability> = nothingAsked;
  /** Public key to which secrets for this daemon are sealed, if it has one. */
  sealingKey: string | null = null;
  /** Random text of the daemon for this connection, which its orders repeat; null if it asked for none. */
  nonce: string | null = null;
  #orders = 0;
  /** Time of the last identity conflict that was reported to this daemon. */
  conflictReportedAt: number | null = null;
  /** Id of the daemon's journal, if it sent one. */
  journal: string | null = null;
  /** Whether another connection of the server has replaced it. */
  replaced = false;
  /** Whether the daemon answered the closing handshake, so it was alive until then. */
  responded = false;
  /** Milliseconds since 1970 when the last message was received. */
  receivedAt = 0;
  malformed = 0;
  /** Bytes received since the last whole message. */
  unfinishedBytes = 0;
  /** Messages that wait to be parsed. */
  unread = 0;
  #held = 0;
  #unanswered = 0;
  /** Exists only if the daemon sends protocol pings; hortusd does not. */
  #pings: ControlBudget | undefined;
  /** Index of its slice in the pinger. */
  slice = -1;

  constructor(
    socket: WebSocket,
    stream: Duplex,
    address: string,
    handle: (connection: Connection, received: Received) => Promise<void>,
  ) {
    this.#socket = socket;
    this.stream = stream;
    this.address = address;
    this.#handle = handle;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether `send` would accept a message. Check before promising anything. */
  get ready(): boolean {
    return this.isOpen && this.#socket.bufferedAmount < MAX_UNSENT_BYTES;
  }

  /**
   * Returns false if the message was not sent: the connection is closing, the daemon does not read, or it did not
   * request such messages. A sent message may still be lost.
   */
  send(message: ToDaemon): boolean {
    const capability = needed[message.type];
    if (capability !== undefined && !this.capabilities.has(capability)) return false;
    if (!this.ready) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Numbers the next order; the daemon refuses one that does not exceed the last. */
  nextBinding(): OrderBinding | undefined {
    return this.nonce === null ? undefined : { connection_nonce: this.nonce, order_number: ++this.#orders };
  }

  /** Sends a ping. Returns false if so many are unanswered that the daemon must be gone. */
  ping(text: string, maxUnanswered: number): boolean {
    if (!this.isOpen) return true;
    // While we do not read from it, the daemon may have answered already.
    if (!this.#socket.isPaused && ++this.#unanswered > maxUnanswered) return false;
    if (this.ready) this.#socket.send(text);
    return true;
  }

  /** Answers a protocol ping, if the daemon reads. Returns false if it sends too many. */
  pong(payload: Buffer): boolean {
    this.#pings ??= new ControlBudget();
    if (!this.#pings.spend()) return false;
    if (this.ready) this.#socket.pong(payload);
    return true;
  }

  /** Handles excess data of an unauthenticated connection: it stays paused during authentication, otherwise it is terminated. */
  tooManyBytes(): void {
    if (this.phase === 'open') this.resume();
    else if (this.phase !== 'authenticating') this.terminate();
  }

  /** Resumes reading after `tooManyBytes`. */
  resume(): void {
    if (this.#held === 0 && this.#socket.isPaused) this.#socket.resume();
  }

  /** Stops reading until every reason is released. */
  hold(reason: Hold): void {
    this.#held |= holds[reason];
    this.#socket.pause();
  }

  release(reason: Hold): void {
    this.#held &= ~holds[reason];
    this.resume();
  }

  seen(now: number): void {
    this.receivedAt = now;
    this.#unanswered = 0;
  }

  /** Queues a message or the close. */
  receive(received: Received, bytes = 0): void {
    this.#inbox ??= new Inbox<Received>({
      handle: async (next) => {
        await this.#handle(this, next);
      },
      full: () => this.hold('inbox'),
      roomAgain: () => this.release('inbox'),
      emptied: () => {
        this.#inbox = undefined;
      },
    });
    this.#inbox.add(received, bytes);
  }

  /** Handles the revocation of one of the server's keys. */
  keyDied(hash: string): void {
    if (this.handedKeyHash === hash) this.handedKeyHash = '';
    if (this.keyHash !== hash) return;
    // A daemon that was given the new key may keep its connection, even if a request with it was faster than the
    // acknowledgement.
    this.keyHash = this.handedKeyHash;
    this.handedKeyHash = '';
    if (this.keyHash === '') this.refuse('this key is no longer valid');
  }

  close(code: number, reason: string): void {
    // A paused socket would not receive the answer.
    this.#held = 0;
    this.resume();
    this.#socket.close(code, reason.slice(0, MAX_REASON_LENGTH));
  }

  refuse(reason: string): void {
    this.phase = 'refused';
    this.close(closeCodes.unauthorized, reason);
  }

  /** Refuses a daemon whose key is valid but which may not act for the server. */
  forbid(reason: string): void {
    this.phase = 'refused';
    this.close(closeCodes.forbidden, reason);
  }

  replace(): void {
    this.replaced = true;
    this.close(closeCodes.replaced, 'another connection of this server has taken over');
  }

  /** Closes it because another connection is that of the server: of its own member, or of another one of the cluster. */
  supersede(memberId: string): void {
    if (memberId === this.memberId) this.replace();
    else this.depose();
  }

  /** Ends the leadership of a member; it reconnects as a standby. */
  depose(): void {
    this.close(closeCodes.deposed, 'another member leads this cluster');
  }

  /** Closes it because orders may be marked as sent that were not; the daemon gets them on its next connection. */
  reconnect(): void {
    this.close(INTERNAL_ERROR, 'the database was lost while orders were sent; connect again');
  }

  /** Terminates without a closing handshake. */
  terminate(): void {
    this.#socket.terminate();
  }
}
