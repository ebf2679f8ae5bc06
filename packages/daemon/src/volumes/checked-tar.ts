import { Readable } from 'node:stream';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { type ArchiveFacts, type Judge, TarCheck } from './tar-check.ts';

/** Pieces buffered for the reader. */
const MAX_WAITING = 16;

/**
 * Passes a tar archive through unchanged and fails at its end if it is incomplete. The engine closes its stream the
 * same way after a read error (a file that shrank, a failed disk) as after success; only the two empty blocks at the
 * end tell them apart. It listens to the source instead of being piped to, which costs a third.
 */
export class CheckedTar extends Readable {
  readonly #source: Readable;
  readonly #check: TarCheck;

  /**
   * `what` names the archive in errors: `volume blog-data`. `proof` rejects if the source did not end successfully.
   * `judge` is called before an entry is passed on.
   */
  constructor(
    what: string,
    source: Readable,
    {
      proof = async () => undefined,
      judge,
    }: { proof?: (() => Promise<void>) | undefined; judge?: Judge | undefined } = {},
  ) {
    // Object mode keeps waiting pieces separate instead of concatenating them.
    super({ objectMode: true, highWaterMark: MAX_WAITING });
    this.#source = source;
    this.#check = new TarCheck(what, judge);
    // Readers get the error from the stream; this listener covers the time before there is one.
    this.on('error', () => undefined);
    const fail = (error: Error) => void this.destroy(error);
    const pass = (piece: Buffer) => this.#pass(piece);
    const prove = () => proof().then(() => this.#end());
    const closed = () => {
      if (!source.readableEnded) this.#end();
    };
    source.on('data', guardedBy(fail, pass));
    source.on('error', fail);
    source.on('end', guardedBy(fail, prove));
    source.on('close', guardedBy(fail, closed));
  }

  get facts(): ArchiveFacts {
    return this.#check.facts;
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.destroy();
    done(error);
  }

  #pass(piece: Buffer): void {
    this.#check.read(piece);
    if (!this.push(piece)) this.#source.pause();
  }

  #end(): void {
    this.#check.end();
    this.push(null);
  }
}
