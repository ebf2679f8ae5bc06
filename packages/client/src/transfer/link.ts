import type { Socket } from 'node:net';
import { type FromReceiver, type FromSender, SAY_SOMETHING_MS, transferPath } from '@hortus/contract/protocol/transfer';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { ChunkMemory } from './chunk-memory.ts';
import { openSocket } from './handshake.ts';
import { contentHeader, type Message, messageRecord, RecordReader } from './records.ts';

type Said = FromReceiver | FromSender;

/** Bytes per read: enough to amortise the call, few enough to be copied from the CPU cache. */
const READ_BYTES = 256 * 1024;
/** Reads that may wait to be consumed before the socket is paused. Each holds a whole buffer, however little it read. */
const MAX_WAITING = 16;
/** Bytes that may wait to be sent: the rest of one chunk while the next one is prepared. */
const MAX_UNSENT = 4 * 1024 * 1024;
/** Time for the other side to close the connection too. */
const FAREWELL_MS = 5_000;

/** The connection ended before the transfer did; the transfer resumes over the next connection. */
export class LinkLost extends Error {
  override name = 'LinkLost';
}

/** Messages of one read, and the buffer that they point into. */
interface Received {
  readonly said: readonly (Said | Buffer)[];
  readonly memory: Buffer;
}

/** One end of a transfer, connected through the service. */
export class Link {
  readonly #socket: Socket;
  readonly #memory: ChunkMemory;
  readonly #records = new RecordReader();
  readonly #received: Received[] = [];
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
    let receive = (bytes: Buffer): void => {
      early.push(bytes);
    };
    const reading = { take: () => memory.take(), received: (bytes: Buffer) => receive(bytes) };
    const socket = await openSocket(url, { key, ticket }, reading, signal).catch((error: Error) => {
      throw new LinkLost(error.message);
    });
    const link = new Link(socket, memory, signal);
    receive = (bytes) => link.#receive(bytes);
    for (const bytes of early) link.#receive(bytes);
    return link;
  }

  private constructor(socket: Socket, memory: ChunkMemory, signal: AbortSignal) {
    this.#socket = socket;
    this.#memory = memory;
    socket.setNoDelay(true);
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
    const saySomething = () => this.#say({ type: 'alive' });
    socket.on('error', fail);
    socket.on('end', guardedBy(fail, gone));
    socket.on('close', guardedBy(fail, closed));
    this.#alive = setInterval(guardedBy(fail, saySomething), SAY_SOMETHING_MS);
    if (signal.aborted) abort();
  }

  say(message: Said): void {
    this.#say(message);
  }

  /** Sends the bytes, which must not change until the other end has them. Resolves when more can be sent. */
  async give(bytes: Buffer): Promise<void> {
    if (this.#closed !== undefined) throw new LinkLost(this.#closed);
    await new Promise<void>((done, fail) => {
      this.#socket.cork();
      this.#socket.write(contentHeader(bytes.length));
      this.#socket.write(bytes, (error) => (error ? fail(new LinkLost(error.message)) : done()));
      this.#socket.uncork();
      if (this.#socket.writableLength < MAX_UNSENT) done();
    });
  }

  /**
   * Yields messages in order. Buffers are valid until the next message is requested. Ends only by throwing LinkLost.
   */
  async *received(): AsyncGenerator<Said | Buffer> {
    for (;;) {
      const next = this.#received.shift();
      if (next !== undefined) {
        yield* next.said;
        this.#memory.giveBack(next.memory);
        if (this.#socket.isPaused() && this.#received.length < MAX_WAITING / 2) this.#socket.resume();
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

  #receive(memory: Buffer): void {
    // Discard late data; keeping it would block the close handshake.
    if (this.#closed !== undefined) return;
    const said: (Said | Buffer)[] = [];
    try {
      for (const item of this.#records.read(memory))
        if (Buffer.isBuffer(item) || item.type !== 'alive') said.push(item);
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
    if (this.#received.length >= MAX_WAITING) this.#socket.pause();
    this.#wake?.();
  }

  #say(message: Message): void {
    if (this.#closed === undefined) this.#socket.write(messageRecord(message));
  }

  /** Ends the connection after what is still to be sent, and waits briefly for the other side to end it too. */
  #leave(reason: string): void {
    if (this.#closed !== undefined) return;
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
