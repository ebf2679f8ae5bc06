import type { Duplex } from 'node:stream';
import { type Capability, closeCodes, neededCapability, type ToDaemon, type ToService } from '@hortus/contract/channel';
import type { WebSocket } from 'ws';
import { capabilitiesOf } from './capabilities.ts';
import { ControlBudget } from './control-budget.ts';
import { Inbox } from './inbox.ts';

/** A daemon that does not read what it is sent gets nothing more until it does. */
const MOST_UNSENT_BYTES = 4 * 1024 * 1024;

/** Bytes that a close frame has for its reason; `ws` throws above it. Ours are ASCII. */
const MOST_REASON = 123;

const needed: Readonly<Record<string, Capability | undefined>> = neededCapability;
const nothingAsked = capabilitiesOf();

/** What the connection went through, in this order. A refused one is never open. */
export type Phase = 'greeting' | 'authenticating' | 'open' | 'refused';

export type Received = ToService | 'closed';

/** The line to one daemon. There may be ten thousand of these, so an idle one holds next to nothing. */
export class Connection {
  /** What it came over. */
  readonly stream: Duplex;
  readonly address: string;
  readonly #socket: WebSocket;
  readonly #handle: (connection: Connection, received: Received) => Promise<void>;
  /** Only while there is something in it. */
  #inbox: Inbox<Received> | undefined;

  phase: Phase = 'greeting';
  serverId = '';
  accountId = '';
  /** Of the key that it was authenticated with; when that dies, so does the connection. */
  keyHash = '';
  /** Of a new key that was handed over here: when it takes the place of the other, the connection stands for it. */
  handedKeyHash = '';
  /** Grows with every connection of the server; 0 until it is known. */
  epoch = 0;
  capabilities: ReadonlySet<Capability> = nothingAsked;
  /** The public key that secrets for this daemon are sealed to, if it has one. */
  sealingKey: string | null = null;
  /** When the conflict happened that this daemon was last told of. */
  conflictToldAt: number | null = null;
  /** The name of the daemon's journal, if it said one. */
  journal: string | null = null;
  /** Another connection of the server has taken its place. */
  replaced = false;
  /** The daemon took part in the closing, so it was alive until then. */
  answered = false;
  /** Milliseconds since 1970 when something was last heard. */
  heardAt = 0;
  malformed = 0;
  #unanswered = 0;
  /** Only of one that sends pings of the protocol; ours does not. */
  #pings: ControlBudget | undefined;
  /** Where the pinger keeps it. */
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

  /** Whether it takes what `send` is given. Ask before promising anything. */
  get ready(): boolean {
    return this.isOpen && this.#socket.bufferedAmount < MOST_UNSENT_BYTES;
  }

  /**
   * False when it was not sent: the connection is closing, the daemon does not read, or it never asked for messages of
   * this kind. What was sent need not arrive.
   */
  send(message: ToDaemon): boolean {
    const capability = needed[message.type];
    if (capability !== undefined && !this.capabilities.has(capability)) return false;
    if (!this.ready) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Sends a ping unless so many stand unanswered that nobody can be there: then false. */
  ping(text: string, mostUnanswered: number): boolean {
    if (!this.isOpen) return true;
    // While we do not read from it the daemon may have answered long ago.
    if (!this.#socket.isPaused && ++this.#unanswered > mostUnanswered) return false;
    if (this.ready) this.#socket.send(text);
    return true;
  }

  /** Answers a ping of the protocol, if the daemon reads. False when it sends too many of them. */
  pong(payload: Buffer): boolean {
    this.#pings ??= new ControlBudget();
    if (!this.#pings.spend()) return false;
    if (this.ready) this.#socket.pong(payload);
    return true;
  }

  /** More came than is needed to say who it is: it waits until that is known, or goes. */
  saidTooMuch(): void {
    if (this.phase === 'authenticating') this.#socket.pause();
    else this.terminate();
  }

  /** Reads again after `saidTooMuch`. */
  resume(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  heard(now: number): void {
    this.heardAt = now;
    this.#unanswered = 0;
  }

  /** Puts something in line behind what came before it. */
  receive(received: Received, bytes = 0): void {
    this.#inbox ??= new Inbox<Received>({
      handle: async (next) => {
        await this.#handle(this, next);
      },
      full: () => this.#socket.pause(),
      roomAgain: () => this.#socket.resume(),
      emptied: () => {
        this.#inbox = undefined;
      },
    });
    this.#inbox.add(received, bytes);
  }

  /** One of the keys of the server is dead. */
  keyDied(hash: string): void {
    if (this.handedKeyHash === hash) this.handedKeyHash = '';
    if (this.keyHash !== hash) return;
    // Whoever was handed the new key has it, also if a request with it was quicker than the acknowledgement.
    this.keyHash = this.handedKeyHash;
    this.handedKeyHash = '';
    if (this.keyHash === '') this.refuse('this key is no longer valid');
  }

  close(code: number, reason: string): void {
    // A paused socket would not hear the answer.
    this.resume();
    this.#socket.close(code, reason.slice(0, MOST_REASON));
  }

  refuse(reason: string): void {
    this.phase = 'refused';
    this.close(closeCodes.unauthorized, reason);
  }

  /** The key is valid, and the daemon may not speak for the server all the same. */
  forbid(reason: string): void {
    this.phase = 'refused';
    this.close(closeCodes.forbidden, reason);
  }

  replace(): void {
    this.replaced = true;
    this.close(closeCodes.replaced, 'another connection of this server has taken over');
  }

  /** Without a word: nobody is listening any more. */
  terminate(): void {
    this.#socket.terminate();
  }
}
