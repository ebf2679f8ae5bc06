import type { Socket } from 'node:net';
import { clientHeader, closePayload, opcodes } from '@hortus/contract/frames';
import { type FromReceiver, type FromSender, SAY_SOMETHING_MS, transferPath } from '@hortus/contract/transfer';
import { guardedBy } from '../guard.ts';
import { ChunkMemory } from './chunk-memory.ts';
import { openWebSocket } from './handshake.ts';
import { IncomingFrames } from './incoming-frames.ts';

type Said = FromReceiver | FromSender;

/** What is read at once, at most: enough to be worth the while, and little enough to be copied out of the cache of the processor. */
const READ_BYTES = 256 * 1024;
/** Bytes that may wait here before the other end is not read any more. */
const MOST_WAITING = 4 * 1024 * 1024;
/** Bytes that may wait to be sent. */
const MOST_UNSENT = 4 * 1024 * 1024;
/** For the other side to end the connection as well. */
const FAREWELL_MS = 5_000;
const NORMAL = 1000;

/** The connection is over, and the transfer is not: it is gone on with over the next one. */
export class LinkLost extends Error {
  override name = 'LinkLost';
}

/** What was heard at once, and the memory that it came in. */
interface Heard {
  readonly said: readonly (Said | Buffer)[];
  readonly memory: Buffer;
}

/** One end of a transfer, by way of the service. */
export class Link {
  readonly #socket: Socket;
  readonly #memory: ChunkMemory;
  readonly #frames: IncomingFrames;
  readonly #received: Heard[] = [];
  #waiting = 0;
  readonly #alive: NodeJS.Timeout;
  #closed: string | undefined;
  #wake: (() => void) | undefined;

  /** Resolves when the service has let us in; the other end may not be there yet. */
  static async open(baseUrl: string, key: string, transferId: string, signal: AbortSignal): Promise<Link> {
    const url = new URL(transferPath, baseUrl);
    url.searchParams.set('transfer_id', transferId);
    const memory = new ChunkMemory(READ_BYTES);
    // What comes with the answer comes before there is a link.
    const early: Buffer[] = [];
    let hear = (bytes: Buffer): void => {
      early.push(bytes);
    };
    const reading = { take: () => memory.take(), heard: (bytes: Buffer) => hear(bytes) };
    const socket = await openWebSocket(url, key, reading, signal).catch((error: Error) => {
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
      if (kind === 'close') this.#leave(payload.toString('utf8', 2) || 'the service has closed the connection');
    });
    const abort = () => socket.destroy();
    signal.addEventListener('abort', abort, { once: true });
    const fail = (error: Error) => {
      this.#end(error.message);
      socket.destroy();
    };
    const gone = () => this.#leave('the service has gone');
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

  /** Resolves when there is room for more. The memory is not looked at any more once the connection is over. */
  async give(bytes: Buffer): Promise<void> {
    if (this.#closed !== undefined) throw new LinkLost(this.#closed);
    await new Promise<void>((done, fail) => {
      this.#send(opcodes.binary, bytes, (error) => (error ? fail(new LinkLost(error.message)) : done()));
      if (this.#socket.writableLength < MOST_UNSENT) done();
    });
  }

  /** What the other end says, in its order; bytes are lent until the next is asked for. Ends only by throwing LinkLost. */
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
    // Kept back, it would hold up the farewell of the other side.
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

  #send(opcode: number, payload: Buffer, sent: (error?: Error | null) => void = () => undefined): void {
    if (this.#closed !== undefined) return;
    this.#socket.cork();
    this.#socket.write(clientHeader(opcode, payload.length));
    this.#socket.write(payload, sent);
    this.#socket.uncork();
  }

  /** Says farewell, and waits for it a while. */
  #leave(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#send(opcodes.close, closePayload(NORMAL, ''));
    this.#end(reason);
    this.#socket.end();
    // One that is not read would never be seen to close.
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
