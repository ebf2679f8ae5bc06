import { Readable } from 'node:stream';
import { guardedBy } from '@hortus/contract/guarded-by';

export interface ArchiveFacts {
  /** Number of entries without the top folder. */
  entries: number;
  /** Total size of the files' content. */
  bytes: number;
}

/** One entry. Texts are latin1, because names may contain any bytes. */
export interface TarEntry {
  readonly path: string;
  /** Type flag of the header. */
  readonly type: string;
  /** Target of a link; empty for other types. */
  readonly target: string;
}

/** Returns why an entry must not be unpacked; called before any byte of it is passed on. */
export type Judge = (entry: TarEntry) => string | undefined;

/** The archive is truncated or malformed. */
export class BrokenArchive extends Error {}

/** The archive contains an entry that must not be unpacked. */
export class HostileArchive extends Error {}

const BLOCK = 512;
/** Limit for the extended header of one entry; the engine writes a few hundred bytes. */
const LONGEST_RECORDS = 1024 * 1024;

/** Pieces buffered for the reader. */
const MOST_WAITING = 16;

/**
 * Passes a tar archive through unchanged and fails at its end if it is incomplete. The engine closes its stream the
 * same way after a read error (a file that shrank, a failed disk) as after success; only the two empty blocks at the
 * end tell them apart. It listens to the source instead of being piped to, which costs a third.
 */
export class WholeTar extends Readable {
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
    super({ objectMode: true, highWaterMark: MOST_WAITING });
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

/** Parses an archive header by header and counts its entries and bytes. */
export class TarCheck {
  readonly #what: string;
  readonly #judge: Judge | undefined;
  /** Received parts of an incomplete header or record. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Current section: a header, the extended header of the next entry, content (ignored) or the end. */
  #reading: 'header' | 'records' | 'content' | 'end' = 'header';
  /** Bytes left in the section, with padding. */
  #left = BLOCK;
  #recordBytes = 0;
  /** Type of the extended header: pax records, or a long name of GNU tar. */
  #recordType = '';
  /** Values for the next entry from its extended header. */
  #toCome: Partial<Record<'size' | 'path' | 'linkpath', string>> = {};
  #emptyBlocks = 0;
  #headers = 0;
  #entries = 0;
  #bytes = 0;

  constructor(what: string, judge?: Judge) {
    this.#what = what;
    this.#judge = judge;
  }

  get facts(): ArchiveFacts {
    return { entries: this.#entries, bytes: this.#bytes };
  }

  /** Throws if the bytes cannot be part of an archive. */
  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#reading === 'end') return;
      const part = chunk.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#reading !== 'content') {
        // Copied: the reader may reuse the memory of pieces that it has consumed.
        this.#held.push(this.#left === 0 ? part : Buffer.from(part));
        this.#heldBytes += part.length;
      }
      if (this.#left === 0) this.#complete();
    }
  }

  /** Throws unless the archive was complete. */
  end(): void {
    if (this.#reading !== 'end') throw this.#broken('it ends early');
  }

  #complete(): void {
    const held = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    const was = this.#reading;
    this.#reading = 'header';
    this.#left = BLOCK;
    if (was === 'header') this.#header(held);
    if (was === 'records') this.#records(held.subarray(0, this.#recordBytes));
  }

  #header(block: Buffer): void {
    if (block.every((byte) => byte === 0)) {
      this.#emptyBlocks++;
      if (this.#emptyBlocks === 2) this.#reading = 'end';
      return;
    }
    if (this.#emptyBlocks > 0 || !hasItsChecksum(block)) throw this.#broken('a header is damaged');
    const type = String.fromCharCode(block[156] ?? 0);
    const isRecords = type in recordNames;
    const { size: recorded } = this.#toCome;
    const size = isRecords || recorded === undefined ? numberAt(block, 124, 12) : Number(recorded);
    if (!Number.isSafeInteger(size) || size < 0) throw this.#broken('a header is damaged');
    if (isRecords) {
      if (size > LONGEST_RECORDS) throw this.#broken('a header is damaged');
      this.#recordBytes = size;
      this.#recordType = type;
    } else {
      this.#judgeEntry(block, type);
      this.#toCome = {};
      this.#bytes += size;
      // The first folder is the top folder of the archive.
      if (this.#headers > 0 || type !== '5') this.#entries++;
      this.#headers++;
    }
    if (size === 0) return;
    this.#reading = isRecords ? 'records' : 'content';
    this.#left = Math.ceil(size / BLOCK) * BLOCK;
  }

  #records(records: Buffer): void {
    const name = recordNames[this.#recordType];
    if (name !== undefined) {
      this.#toCome[name] = records.toString('latin1').replace(/\0.*$/s, '');
      return;
    }
    for (const [key, value] of paxRecords(records)) {
      const isName = key === 'path' || key === 'linkpath';
      // A global path record, or the name of a sparse file, would bypass the check of the entry's own path.
      if (this.#judge && ((this.#recordType === 'g' && isName) || key.startsWith('GNU.sparse.')))
        throw this.#hostile(`it has a record ${key}, which is not supported`);
      if (isName || key === 'size') this.#toCome[key] = value;
    }
  }

  #judgeEntry(block: Buffer, type: string): void {
    if (!this.#judge) return;
    const { path = headerPath(block), linkpath = textAt(block, 157, 100) } = this.#toCome;
    const refusal = this.#judge({ path, type, target: linkpath });
    if (refusal !== undefined) throw this.#hostile(refusal);
  }

  #hostile(why: string): HostileArchive {
    return new HostileArchive(`The archive of ${this.#what} is not unpacked: ${why}.`);
  }

  #broken(why: string): BrokenArchive {
    return new BrokenArchive(`The archive of ${this.#what} is corrupt: ${why}.`);
  }
}

/** Verifies the header checksum: the sum of all bytes, with the checksum field counted as spaces. */
function hasItsChecksum(block: Buffer): boolean {
  let sum = 0;
  for (const [index, byte] of block.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  return sum === numberAt(block, 148, 8);
}

/** Parses octal digits, or a base-256 number marked by the highest bit of its first byte. */
function numberAt(block: Buffer, offset: number, length: number): number {
  const field = block.subarray(offset, offset + length);
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(field.toString('latin1').replace(/[\0 ]+$/, ''), 8) || 0;
  let number = (field[0] ?? 0) & 0x7f;
  for (const byte of field.subarray(1)) number = number * 256 + byte;
  return number;
}

/** Entry types that describe the next entry: pax records, and long names of GNU tar. */
const recordNames: Readonly<Record<string, 'path' | 'linkpath' | undefined>> = {
  x: undefined,
  g: undefined,
  L: 'path',
  K: 'linkpath',
};

const textAt = (block: Buffer, offset: number, length: number): string =>
  block.toString('latin1', offset, offset + length).replace(/\0.*$/s, '');

/** Only POSIX headers have a prefix field for long paths. */
function headerPath(block: Buffer): string {
  const name = textAt(block, 0, 100);
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textAt(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Parses records of the form `length key=value\n`. */
function* paxRecords(records: Buffer): Generator<[key: string, value: string]> {
  for (let at = 0; at < records.length; ) {
    const space = records.indexOf(32, at);
    const length = Number(records.toString('latin1', at, space));
    if (space < 0 || !Number.isInteger(length) || length <= 0) return;
    const text = records.toString('latin1', space + 1, at + length - 1);
    const equals = text.indexOf('=');
    if (equals > 0) yield [text.slice(0, equals), text.slice(equals + 1)];
    at += length;
  }
}
