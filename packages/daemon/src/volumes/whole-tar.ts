import { Readable } from 'node:stream';
import { guardedBy } from '@hortus/client/guard';

/** What is in an archive. */
export interface ArchiveFacts {
  /** Everything in it but its own top folder. */
  entries: number;
  /** Of the contents of its files. */
  bytes: number;
}

/** One entry; texts are bytes read as latin1, because names may hold any. */
export interface TarEntry {
  readonly path: string;
  /** The type flag of its header. */
  readonly type: string;
  /** Of a link; empty otherwise. */
  readonly target: string;
}

/** Says why an entry must not be unpacked, before any byte of it is passed on. */
export type Judge = (entry: TarEntry) => string | undefined;

/** The archive is cut, or is none. */
export class BrokenArchive extends Error {}

/** The archive holds what must not be unpacked. */
export class HostileArchive extends Error {}

const BLOCK = 512;
/** Records of one entry; the engine writes some hundred bytes. */
const LONGEST_RECORDS = 1024 * 1024;

/** Pieces that wait for whoever reads. */
const MOST_WAITING = 16;

/**
 * Passes a tar archive through unchanged and fails at its end unless it was whole. It is needed because the engine ends its
 * stream in the same way when it could not read on (a file that became shorter meanwhile, a disk that failed) as when all
 * was read: only the two empty blocks at the end tell.
 *
 * It takes the pieces of its source as they come, instead of being piped to: that costs a third, and there are many of them.
 */
export class WholeTar extends Readable {
  readonly #source: Readable;
  readonly #check: TarCheck;

  /**
   * `what` is how an error names the archive: `volume blog-data`. `proof` rejects if its end was not the end of everything;
   * `judge` is asked before an entry is passed on.
   */
  constructor(
    what: string,
    source: Readable,
    {
      proof = async () => undefined,
      judge,
    }: { proof?: (() => Promise<void>) | undefined; judge?: Judge | undefined } = {},
  ) {
    // As objects, so that pieces that wait are not copied into one.
    super({ objectMode: true, highWaterMark: MOST_WAITING });
    this.#source = source;
    this.#check = new TarCheck(what, judge);
    // Whoever reads hears of it; before that there may be nobody.
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

/** Follows an archive from header to header, and counts what is in it. */
export class TarCheck {
  readonly #what: string;
  readonly #judge: Judge | undefined;
  /** The part of a header or of records that has come so far. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** What is being read: a header, the records of the next entry, or content that nobody looks at. */
  #reading: 'header' | 'records' | 'content' | 'end' = 'header';
  /** Bytes of it still to come, with the padding. */
  #left = BLOCK;
  #recordBytes = 0;
  /** The type of what is held as records: those of pax, or a long name of GNU tar. */
  #recordType = '';
  /** What the next entry has no room for in its header. */
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

  /** Throws if it cannot be an archive. */
  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#reading === 'end') return;
      const part = chunk.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#reading !== 'content') {
        // What has to wait is copied: who reads us may let go of the memory of what he has read.
        this.#held.push(this.#left === 0 ? part : Buffer.from(part));
        this.#heldBytes += part.length;
      }
      if (this.#left === 0) this.#complete();
    }
  }

  /** Nothing more comes. Throws unless it was whole. */
  end(): void {
    if (this.#reading !== 'end') throw this.#broken('it ends in the middle');
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
    if (this.#emptyBlocks > 0 || !hasItsChecksum(block)) throw this.#broken('a header in it is damaged');
    const type = String.fromCharCode(block[156] ?? 0);
    const isRecords = type in recordNames;
    const { size: recorded } = this.#toCome;
    const size = isRecords || recorded === undefined ? numberAt(block, 124, 12) : Number(recorded);
    if (!Number.isSafeInteger(size) || size < 0) throw this.#broken('a header in it is damaged');
    if (isRecords) {
      if (size > LONGEST_RECORDS) throw this.#broken('a header in it is damaged');
      this.#recordBytes = size;
      this.#recordType = type;
    } else {
      this.#judgeEntry(block, type);
      this.#toCome = {};
      this.#bytes += size;
      // Its own top folder comes first.
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
      // A global name, or that of a sparse file, would be another than the one that is judged.
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
    return new BrokenArchive(`The archive of ${this.#what} is not whole: ${why}.`);
  }
}

/** The sum of all bytes, with its own field taken for spaces. */
function hasItsChecksum(block: Buffer): boolean {
  let sum = 0;
  for (const [index, byte] of block.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  return sum === numberAt(block, 148, 8);
}

/** Octal digits, or, where those do not suffice, the number itself behind a byte with its highest bit set. */
function numberAt(block: Buffer, offset: number, length: number): number {
  const field = block.subarray(offset, offset + length);
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(field.toString('latin1').replace(/[\0 ]+$/, ''), 8) || 0;
  let number = (field[0] ?? 0) & 0x7f;
  for (const byte of field.subarray(1)) number = number * 256 + byte;
  return number;
}

/** Entries that say something of the next one. The long names of GNU tar are a text, pax has records of many kinds. */
const recordNames: Readonly<Record<string, 'path' | 'linkpath' | undefined>> = {
  x: undefined,
  g: undefined,
  L: 'path',
  K: 'linkpath',
};

const textAt = (block: Buffer, offset: number, length: number): string =>
  block.toString('latin1', offset, offset + length).replace(/\0.*$/s, '');

/** Only the headers of POSIX have the beginning of a long path in a field of its own. */
function headerPath(block: Buffer): string {
  const name = textAt(block, 0, 100);
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textAt(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Records `length key=value\n`. */
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
