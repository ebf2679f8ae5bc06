import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TRANSFER_PROTOCOL } from '@hortus/contract/protocol/transfer';
import { release } from '@hortus/contract/runtime/free-buffer';
import type { Guard } from '../process/guard.ts';

/**
 * Buffered bytes for a slow end beyond which reading from the fast one is paused. Two ends, so twice that for a
 * transfer.
 */
const MAX_WAITING = 1024 * 1024;
/** Buffered pieces beyond which it is paused, because each costs memory even if it holds one byte. */
const MAX_PIECES = 64;
/** Time for the other side to close the connection too. */
const FAREWELL_MS = 5_000;

/** One end of a transfer: a connection after its upgrade. Its bytes are forwarded as they arrive and never parsed. */
export class End {
  readonly #socket: Duplex;
  readonly #closed = new Set<() => void>();
  readonly #guard: Guard;
  /** Bytes received together with the handshake. */
  readonly #head: Buffer;
  /** Buffers that the socket may still have to send. */
  #lent: Buffer[] = [];
  #open = true;

  static accept(socket: Duplex, head: Buffer, guard: Guard): End {
    const lines = ['HTTP/1.1 101 Switching Protocols', `Upgrade: ${TRANSFER_PROTOCOL}`, 'Connection: Upgrade'];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return new End(socket, head, guard);
  }

  private constructor(socket: Duplex, head: Buffer, guard: Guard) {
    this.#socket = socket;
    this.#guard = (listener) => guard(listener, () => socket.destroy());
    this.#head = head;
    (socket as Partial<Socket>).setNoDelay?.(true);
    // Data that arrives before the other end is connected stays in the socket.
    socket.pause();
    this.#on('error', () => socket.destroy());
    this.#on('end', () => socket.end());
    this.#on('close', () => {
      this.#open = false;
      for (const reported of this.#closed) reported();
    });
  }

  #on<Args extends unknown[]>(event: string, listener: (...args: Args) => void): void {
    this.#socket.on(event, this.#guard(listener) as (...args: unknown[]) => void);
  }

  get open(): boolean {
    return this.#open;
  }

  onClose(reported: () => void): void {
    this.#closed.add(reported);
  }

  /** Forwards everything from this end to the other, with backpressure. */
  handTo(other: End, onBytes: (count: number) => void): void {
    const resume = this.#guard(() => this.#socket.resume());
    const hand = (bytes: Buffer): void => {
      onBytes(bytes.length);
      if (!other.#take(bytes, resume)) this.#socket.pause();
    };
    this.#on('data', hand);
    this.#socket.resume();
    if (this.#head.length > 0) hand(this.#head);
  }

  /** Ends the connection after what is still to be sent. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#socket.end();
    // A paused socket would never report the close.
    this.#socket.resume();
    const late = setTimeout(
      this.#guard(() => this.#socket.destroy()),
      FAREWELL_MS,
    ).unref();
    this.#on('close', () => clearTimeout(late));
  }

  /** Sends bytes. Returns false if the next ones must wait for `drained`. */
  #take(bytes: Buffer, drained: () => void): boolean {
    if (!this.#open) {
      release(bytes);
      return true;
    }
    this.#lent.push(bytes);
    const isFull = this.#socket.writableLength > MAX_WAITING || this.#lent.length >= MAX_PIECES;
    // No callback in the usual case: one for each write would cost as much as the write.
    if (!isFull) this.#socket.write(bytes);
    else
      this.#socket.write(bytes, () => {
        this.#letGo();
        drained();
      });
    if (this.#socket.writableLength === 0) this.#letGo();
    return !isFull;
  }

  #letGo(): void {
    for (const memory of this.#lent.splice(0)) release(memory);
  }
}
