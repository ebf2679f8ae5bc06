import { chunkOffered, digestOf, type OfferedChunk } from '@hortus/client/transfer/chunk-name';
import type { Link } from '@hortus/client/transfer/link';
import type { FromSender } from '@hortus/contract/protocol/transfer';
import type { Draft, Placed, Spool } from './spool.ts';

export interface Receiving {
  readonly spool: Spool;
  /**
   * Writes the content into the volume while it arrives; called again when the transfer restarts from the beginning.
   */
  readonly import?: ((content: AsyncIterable<Buffer>, signal: AbortSignal) => Promise<void>) | undefined;
  readonly onProgress: (progress: Progress) => void;
}

export interface Progress {
  readonly chunks: number;
  readonly bytes: number;
  /** Bytes that were sent over the network. */
  readonly carried: number;
}

export interface Received extends Progress {
  readonly sha256: string;
}

interface Offered extends Placed {
  /** Requested and not arrived yet. */
  wanted: boolean;
}

/** Receives over one connection until everything has arrived and is imported. */
export async function receive(link: Link, receiving: Receiving): Promise<Received> {
  const reception = new Reception(link, receiving);
  try {
    return await reception.run();
  } finally {
    await reception.stop();
  }
}

class Reception {
  readonly #link: Link;
  readonly #receiving: Receiving;
  /** Offered chunks in order, without those already placed. */
  #offered: Offered[] = [];
  /** The arriving chunk; `#arrived` counts its bytes. */
  #draft: Draft | undefined;
  #arrived = 0;
  #bytes: number;
  #carried = 0;
  #importing: Importing | undefined;

  constructor(link: Link, receiving: Receiving) {
    this.#link = link;
    this.#receiving = receiving;
    this.#bytes = receiving.spool.placed.reduce((sum, { length }) => sum + length, 0);
  }

  async run(): Promise<Received> {
    const { spool } = this.#receiving;
    this.#link.say({ type: 'next', index: spool.placed.length, key: spool.key.toString('base64') });
    this.#import();
    for await (const message of this.#link.received()) {
      if (Buffer.isBuffer(message)) this.#take(message);
      else if (message.type === 'end') return await this.#end(message);
      else if (message.type === 'offer') this.#consider(chunkOffered(message));
      else if (message.type === 'begin') await this.#begin();
    }
    throw new Error('unreachable');
  }

  async stop(): Promise<void> {
    this.#draft?.drop();
    this.#draft = undefined;
    this.#arrived = 0;
    await this.#importing?.stop();
  }

  async #begin(): Promise<void> {
    await this.stop();
    this.#receiving.spool.begin();
    this.#offered = [];
    this.#bytes = 0;
    this.#import();
  }

  #import(): void {
    const { spool, import: put } = this.#receiving;
    if (put) this.#importing = new Importing(spool, put);
  }

  #consider({ index, name, length }: OfferedChunk): void {
    const { spool } = this.#receiving;
    if (index !== spool.placed.length + this.#offered.length) throw new Error('A chunk was offered out of order.');
    const known = spool.has(name) || this.#offered.some((offered) => offered.wanted && offered.name === name);
    if (!known) this.#link.say({ type: 'want', index });
    this.#offered.push({ name, length, wanted: !known });
    this.#place();
  }

  #take(piece: Buffer): void {
    const due = this.#offered.find(({ wanted }) => wanted);
    if (!due) throw new Error('The other end sent bytes that were not requested.');
    if (this.#arrived + piece.length > due.length) throw new Error('The other end sent more bytes than it announced.');
    this.#draft ??= this.#receiving.spool.draft(due.name);
    this.#draft.add(piece);
    this.#arrived += piece.length;
    if (this.#arrived < due.length) return;
    const draft = this.#draft;
    this.#draft = undefined;
    this.#arrived = 0;
    this.#receiving.spool.keep(draft);
    due.wanted = false;
    this.#carried += due.length;
    this.#place();
  }

  /** Places chunks in order, up to the first one that is still missing. */
  #place(): void {
    const { spool, onProgress } = this.#receiving;
    while (this.#offered[0] && !this.#offered[0].wanted && spool.has(this.#offered[0].name)) {
      const { name, length } = this.#offered.shift() as Offered;
      spool.place({ name, length });
      this.#bytes += length;
      this.#link.say({ type: 'have', index: spool.placed.length - 1 });
      this.#importing?.more();
    }
    onProgress(this.#progress());
  }

  async #end({ chunks, sha256 }: Extract<FromSender, { type: 'end' }>): Promise<Received> {
    const { placed } = this.#receiving.spool;
    if (placed.length !== chunks || digestOf(placed) !== sha256)
      throw new Error('The transfer ended with chunks missing.');
    await this.#importing?.finish();
    this.#link.say({ type: 'done', sha256 });
    return { ...this.#progress(), sha256 };
  }

  #progress(): Progress {
    return { chunks: this.#receiving.spool.placed.length, bytes: this.#bytes, carried: this.#carried };
  }
}

/** Feeds placed chunks into the volume and waits for the missing ones. */
class Importing {
  readonly #spool: Spool;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  #whole = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(spool: Spool, put: NonNullable<Receiving['import']>) {
    this.#spool = spool;
    this.#done = put(this.#content(), this.#abort.signal);
    this.#done.catch((error: Error) => {
      this.#failure = error;
    });
  }

  /** Signals new chunks. Throws if the import has failed, so that the transfer stops early. */
  more(): void {
    if (this.#failure) throw this.#failure;
    this.#wake?.();
  }

  async finish(): Promise<void> {
    this.#whole = true;
    this.#wake?.();
    await this.#done;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#wake?.();
    await this.#done.catch(() => undefined);
  }

  async *#content(): AsyncGenerator<Buffer> {
    for (let next = 0; ; next++) {
      while (next >= this.#spool.placed.length) {
        if (this.#whole) return;
        if (this.#abort.signal.aborted) throw new Error('The import was aborted.');
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
      }
      if (this.#abort.signal.aborted) throw new Error('The import was aborted.');
      yield await this.#spool.read(this.#spool.placed[next] as Placed);
    }
  }
}
