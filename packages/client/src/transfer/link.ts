import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { applyMask, clientHeader, closePayload, opcodes } from '@hortus/contract/frames';
import { guardedBy } from '@hortus/contract/guarded-by';
import {
  type FromReceiver,
  type FromSender,
  PIECE_BYTES,
  SAY_SOMETHING_MS,
  transferPath,
} from '@hortus/contract/transfer';
import { ChunkMemory } from './chunk-memory.ts';
import { openWebSocket } from './handshake.ts';
import { IncomingFrames } from './incoming-frames.ts';

type Said = FromReceiver | FromSender;

/** Bytes per read: enough to amortise the call, few enough to be copied from the CPU cache. */
const READ_BYTES = 256 * 1024;
/** Received bytes that may wait before the socket is paused. */
const MOST_WAITING = 4 * 1024 * 1024;
/** Bytes that may wait to be sent. */
const MOST_UNSENT = 4 * 1024 * 1024;
/** Time for the other side to close the connection too. */
const FAREWELL_MS = 5_000;
const NORMAL = 1000;

/** The connection ended before the transfer did; the transfer resumes over the next connection. */
export class LinkLost extends Error {
  override name = 'LinkLost';
}

/** Messages of one read, and the buffer that they point into. */
interface Heard {
  readonly said: readonly (Said | Buffer)[];
  readonly memory: Buffer;
}

/** One end of a transfer, connected through the service. */
export class Link {
  readonly #socket: Socket;
  readonly #memory: ChunkMemory;
  /** Masked copies on their way to the socket. */
  readonly #outgoing = new ChunkMemory(PIECE_BYTES);
  readonly #frames: IncomingFrames;
  readonly #received: Heard[] = [];
  #waiting = 0;
  readonly #alive: NodeJS.Timeout;
  #closed: string | undefined;
  #wake: (() => void) | undefined;

  /** Resolves once the service accepted the connection; the other end may still be absent. */
  static async open(
    baseUrl: string,
    key: string,
    transferId: string,
    signal: AbortSignal,
    ticket?: string,
  ): Promise<Link> {
    const url = new URL(transferPath, baseUrl);
    url.searchParams.set('transfer_id', transferId);
    const memory = new ChunkMemory(READ_BYTES);
    // Bytes after the handshake can arrive before the link exists.
    const early: Buffer[] = [];
    let hear = (bytes: Buffer): void => {
      early.push(bytes);
    };
    const reading = { take: () => memory.take(), heard: (bytes: Buffer) => hear(bytes) };
    const socket = await openWebSocket(url, { key, ticket }, reading, signal).catch((error: Error) => {
      throw new LinkLost(error.message);
    });
    const link = new Link(socket, memory, signal);
    hear = (bytes) => link.#hear(bytes);
    for (const bytes of early) link.#hear(bytes);
    return link;
  }

  private constructor(socket: Socket, memory: ChunkMemory, signal: AbortSignal) {
    this.#socket = socket;
    this.#memory = memory;
    socket.setNoDelay(true);
    this.#frames = new IncomingFrames((kind, payload) => {
      if (kind === 'ping') this.#send(opcodes.pong, payload);
      if (kind === 'close') this.#leave(payload.toString('utf8', 2) || 'the service closed the connection');
    });
    const abort = () => socket.destroy();
    signal.addEventListener('abort', abort, { once: true });
    const fail = (error: Error) => {
      this.#end(error.message);
      socket.destroy();
    };
    const gone = () => this.#leave('the service closed the connection');
    const closed = () => {
      signal.removeEventListener('abort', abort);
      this.#end('the connection was lost');
    };
    const saySomething = () => this.#send(opcodes.text, Buffer.from('{"type":"alive"}'));
    socket.on('error', fail);
    socket.on('end', guardedBy(fail, gone));
    socket.on('close', guardedBy(fail, closed));
    this.#alive = setInterval(guardedBy(fail, saySomething), SAY_SOMETHING_MS);
    if (signal.aborted) abort();
  }

  say(message: Said): void {
    this.#send(opcodes.text, Buffer.from(JSON.stringify(message)));
  }

  /** Sends a copy of the bytes, in pieces of one message each. Resolves when more can be sent. */
  async give(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) await this.#givePiece(bytes.subarray(at, at + PIECE_BYTES));
  }

  async #givePiece(piece: Buffer): Promise<void> {
    if (this.#closed !== undefined) throw new LinkLost(this.#closed);
    const copy = this.#outgoing.take().subarray(0, piece.length);
    piece.copy(copy);
    await new Promise<void>((done, fail) => {
      this.#sendMasked(opcodes.binary, copy, (error) => {
        this.#outgoing.giveBack(copy);
        if (error) fail(new LinkLost(error.message));
        else done();
      });
      if (this.#socket.writableLength < MOST_UNSENT) done();
    });
  }

  /**
   * Yields messages in order. Buffers are valid until the next message is requested. Ends only by throwing LinkLost.
   */
  async *heard(): AsyncGenerator<Said | Buffer> {
    for (;;) {
      const next = this.#received.shift();
      if (next !== undefined) {
        yield* next.said;
        this.#waiting -= next.memory.length;
        this.#memory.giveBack(next.memory);
        if (this.#socket.isPaused() && this.#waiting < MOST_WAITING / 2) this.#socket.resume();
      } else if (this.#closed !== undefined) throw new LinkLost(this.#closed);
      else
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
    }
  }

  close(): void {
    this.#leave('closed');
  }

  #hear(memory: Buffer): void {
    // Discard late data; keeping it would block the close handshake.
    if (this.#closed !== undefined) return;
    const said: (Said | Buffer)[] = [];
    try {
      for (const one of this.#frames.read(memory)) {
        const message = Buffer.isBuffer(one) ? one : (JSON.parse(one) as Said | { type: 'alive' });
        if (Buffer.isBuffer(message) || message.type !== 'alive') said.push(message);
      }
    } catch (error) {
      this.#end((error as Error).message);
      this.#socket.destroy();
      return;
    }
    if (said.length === 0) {
      this.#memory.giveBack(memory);
      return;
    }
    this.#received.push({ said, memory });
    this.#waiting += memory.length;
    if (this.#waiting > MOST_WAITING) this.#socket.pause();
    this.#wake?.();
  }

  #send(opcode: number, payload: Buffer): void {
    if (this.#closed === undefined) this.#sendMasked(opcode, payload, () => undefined);
  }

  /** Masks the payload in place, with a new random key for each frame (RFC 6455, 5.3). */
  #sendMasked(opcode: number, payload: Buffer, sent: (error?: Error | null) => void): void {
    const mask = randomBytes(4);
    applyMask(payload, mask, 0);
    this.#socket.cork();
    this.#socket.write(clientHeader(opcode, payload.length, mask));
    this.#socket.write(payload, sent);
    this.#socket.uncork();
  }

  /** Sends a close frame and waits briefly for the other side to close. */
  #leave(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#send(opcodes.close, closePayload(NORMAL, ''));
    this.#end(reason);
    this.#socket.end();
    // A paused socket would never report that it closed.
    this.#socket.resume();
    const late = setTimeout(() => this.#socket.destroy(), FAREWELL_MS).unref();
    this.#socket.once('close', () => clearTimeout(late));
  }

  #end(reason: string): void {
    clearInterval(this.#alive);
    this.#closed ??= reason;
    this.#wake?.();
  }
}
