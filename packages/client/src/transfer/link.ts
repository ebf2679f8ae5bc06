import { type FromReceiver, type FromSender, SAY_SOMETHING_MS, transferPath } from '@hortus/contract/transfer';
import WebSocket from 'ws';

type Said = FromReceiver | FromSender;

/** Pieces that may wait here before the other end is not read any more. */
const MOST_WAITING = 16;
/** Bytes that may wait to be sent. */
const MOST_UNSENT = 4 * 1024 * 1024;

/** The connection is over, and the transfer is not: it is gone on with over the next one. */
export class LinkLost extends Error {
  override name = 'LinkLost';
}

/** One end of a transfer, by way of the service. */
export class Link {
  readonly #socket: WebSocket;
  readonly #received: (Said | Buffer)[] = [];
  readonly #alive: NodeJS.Timeout;
  #closed: string | undefined;
  #wake: (() => void) | undefined;

  /** Resolves when the service has let us in; the other end may not be there yet. */
  static open(baseUrl: string, key: string, transferId: string, signal: AbortSignal): Promise<Link> {
    const url = new URL(transferPath, baseUrl);
    url.protocol = url.protocol.replace('http', 'ws');
    url.searchParams.set('transfer_id', transferId);
    return new Promise((done, fail) => {
      const socket = new WebSocket(url, {
        headers: { authorization: `Bearer ${key}` },
        perMessageDeflate: false,
        handshakeTimeout: 15_000,
        maxPayload: 16 * 1024 * 1024,
        followRedirects: false,
        // Masking protects proxies from pages in browsers; for gigabytes between programs it is work for nothing.
        generateMask: (mask) => mask.fill(0),
      });
      const abort = () => socket.terminate();
      signal.addEventListener('abort', abort, { once: true });
      socket.on('close', () => signal.removeEventListener('abort', abort));
      socket.once('error', (error) => fail(new LinkLost(error.message)));
      socket.once('open', () => done(new Link(socket)));
      if (signal.aborted) abort();
    });
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, binary) => {
      // Kept back, it would hold up the farewell of the other side.
      if (this.#closed !== undefined) return;
      const message = binary ? data : (JSON.parse(String(data)) as Said | { type: 'alive' });
      if (!Buffer.isBuffer(message) && message.type === 'alive') return;
      this.#received.push(message);
      if (this.#received.length >= MOST_WAITING) socket.pause();
      this.#wake?.();
    });
    socket.on('error', (error) => this.#end(error.message));
    socket.on('close', (code, reason) => this.#end(String(reason) || `closed with ${code}`));
    this.#alive = setInterval(() => this.#send('{"type":"alive"}'), SAY_SOMETHING_MS);
  }

  say(message: Said): void {
    this.#send(JSON.stringify(message));
  }

  /** Resolves when there is room for more. */
  async give(bytes: Buffer): Promise<void> {
    if (this.#closed !== undefined) throw new LinkLost(this.#closed);
    await new Promise<void>((done, fail) => {
      this.#socket.send(bytes, { binary: true }, (error) => (error ? fail(new LinkLost(error.message)) : done()));
      if (this.#socket.bufferedAmount < MOST_UNSENT) done();
    });
  }

  /** What the other end says, in its order. Ends only by throwing LinkLost. */
  async *heard(): AsyncGenerator<Said | Buffer> {
    for (;;) {
      const next = this.#received.shift();
      if (next !== undefined) {
        if (this.#socket.isPaused && this.#received.length < MOST_WAITING / 2) this.#socket.resume();
        yield next;
      } else if (this.#closed !== undefined) throw new LinkLost(this.#closed);
      else
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
    }
  }

  close(): void {
    this.#socket.resume();
    this.#socket.close(1000);
    this.#end('closed');
  }

  #send(text: string): void {
    if (this.#closed === undefined) this.#socket.send(text, () => undefined);
  }

  #end(reason: string): void {
    clearInterval(this.#alive);
    this.#closed ??= reason;
    this.#wake?.();
  }
}
