import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { acceptanceOf, BrokenFrame, type Control, closePayload, controlFrame, release } from '@hortus/contract/frames';
import { ControlBudget } from '../channel/control-budget.ts';
import type { Guard } from '../guard.ts';
import { FrameTurner } from './frames.ts';

/**
 * Buffered bytes for a slow end beyond which reading from the fast one is paused. Two ends, so twice that for a
 * transfer.
 */
const MOST_WAITING = 1024 * 1024;
/** Time for the other side to close the connection after a close frame. */
const FAREWELL_MS = 5_000;
const PROTOCOL_ERROR = 1002;
const POLICY = 1008;
/** More parts are copied into one, because each queued part costs memory. */
const MOST_PARTS = 64;
const NORMAL = 1000;

/** Returns why a request is not a WebSocket handshake; undefined if it is one. */
export function handshakeFault({ method, headers }: IncomingMessage): string | undefined {
  if (method !== 'GET') return 'A WebSocket begins with GET';
  if (headers.upgrade?.toLowerCase() !== 'websocket') return 'The header Upgrade is not websocket';
  if (headers['sec-websocket-version'] !== '13') return 'The header Sec-WebSocket-Version is not 13';
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    return 'The header Sec-WebSocket-Key is missing or wrong';
  return undefined;
}

/**
 * One end of a transfer: a WebSocket whose frames are relayed while they arrive. A library that collects messages would
 * buffer each one, and leave gigabytes of buffers to the garbage collector.
 */
export class End {
  readonly #socket: Duplex;
  readonly #turner: FrameTurner;
  readonly #closed = new Set<() => void>();
  readonly #guard: Guard;
  readonly #budget = new ControlBudget();
  /** Bytes received together with the handshake. */
  #head: Buffer;
  #to: End | undefined;
  #onBytes: (count: number) => void = () => undefined;
  /** The end that sends to this one, possibly in the middle of a frame. */
  #from: End | undefined;
  /** Pending answer to the last ping. Earlier pings need none (RFC 6455, 5.5.3). */
  #pong: Buffer | undefined;
  /** Buffers that the socket may still have to send. */
  #lent: Buffer[] = [];
  #open = true;

  static accept(request: IncomingMessage, socket: Duplex, head: Buffer, guard: Guard): End {
    const accept = acceptanceOf(request.headers['sec-websocket-key'] ?? '');
    const lines = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
    return new End(socket, head, guard);
  }

  private constructor(socket: Duplex, head: Buffer, guard: Guard) {
    this.#socket = socket;
    this.#guard = (listener) => guard(listener, () => socket.destroy());
    this.#head = head;
    this.#turner = new FrameTurner((kind, payload) => this.#control(kind, payload));
    (socket as Partial<Socket>).setNoDelay?.(true);
    // Data that arrives before the other end is connected stays in the socket.
    socket.pause();
    this.#on('error', () => socket.destroy());
    this.#on('end', () => socket.end());
    // Called once for all queued writes: a callback per write would cost as much as relaying it.
    this.#on('drain', () => {
      this.#letGo();
      this.#sayPong();
      if (this.#from) this.#from.#socket.resume();
    });
    this.#on('close', () => {
      this.#open = false;
      for (const told of this.#closed) told();
    });
  }

  #on<Args extends unknown[]>(event: string, listener: (...args: Args) => void): void {
    this.#socket.on(event, this.#guard(listener) as (...args: unknown[]) => void);
  }

  get open(): boolean {
    return this.#open;
  }

  onClose(told: () => void): void {
    this.#closed.add(told);
  }

  /** Relays everything from this end to the other, with backpressure. */
  handTo(other: End, onBytes: (count: number) => void): void {
    this.#to = other;
    other.#from = this;
    this.#onBytes = onBytes;
    this.#on('data', (bytes: Buffer) => this.#hand(bytes));
    if (this.#head.length > 0) this.#hand(this.#head);
    this.#head = Buffer.alloc(0);
    this.#socket.resume();
  }

  /** Closes with a reason, unless a frame is half sent; then the connection is destroyed. */
  close(code: number, reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#from && !this.#from.#turner.betweenFrames) {
      this.#socket.destroy();
      return;
    }
    this.#socket.end(controlFrame('close', closePayload(code, reason)));
    // A paused socket would never report the close.
    this.#socket.resume();
    const late = setTimeout(
      this.#guard(() => this.#socket.destroy()),
      FAREWELL_MS,
    ).unref();
    this.#on('close', () => clearTimeout(late));
  }

  #hand(bytes: Buffer): void {
    const to = this.#to;
    if (!this.#open || !to) {
      release(bytes);
      return;
    }
    const before = this.#turner.carried;
    try {
      to.#take(this.#turner.turn(bytes), bytes);
    } catch (error) {
      if (!(error instanceof BrokenFrame)) throw error;
      this.close(PROTOCOL_ERROR, error.message);
    }
    this.#onBytes(this.#turner.carried - before);
    if (to.#socket.writableLength > MOST_WAITING) this.#socket.pause();
  }

  /** Writes parts; `memory` is the buffer that contains them. */
  #take(parts: readonly Buffer[], memory: Buffer): void {
    if (!this.#open) {
      release(memory);
      return;
    }
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (parts.length > MOST_PARTS || bytes < memory.length / 2) {
      if (bytes > 0) this.#socket.write(Buffer.concat(parts));
      release(memory);
    } else {
      this.#lent.push(memory);
      if (parts.length > 1) this.#socket.cork();
      for (const part of parts) this.#socket.write(part);
      if (parts.length > 1) this.#socket.uncork();
    }
    this.#sayPong();
    if (this.#socket.writableLength === 0) this.#letGo();
  }

  #letGo(): void {
    for (const memory of this.#lent.splice(0)) release(memory);
  }

  #control(kind: Control, payload: Buffer): void {
    if (kind === 'close') this.close(NORMAL, '');
    else if (!this.#budget.spend()) this.close(POLICY, 'too many control frames');
    else if (kind === 'ping') {
      this.#pong = controlFrame('pong', payload);
      this.#sayPong();
    }
  }

  /** Sends the pong, unless a frame of the other end is half sent or this end does not read. */
  #sayPong(): void {
    if (!this.#pong || !this.#open || this.#socket.writableNeedDrain) return;
    if (this.#from && !this.#from.#turner.betweenFrames) return;
    this.#socket.write(this.#pong);
    this.#pong = undefined;
  }
}
