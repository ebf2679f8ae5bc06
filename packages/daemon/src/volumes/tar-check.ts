import { readHeader, type TarHeader, UnclearTar } from './tar-header.ts';
import { readRecords, recordTypes, type TarRecords } from './tar-records.ts';

export interface ArchiveFacts {
  /** Number of entries without the top folder. */
  entries: number;
  /** Total size of the files' content. */
  bytes: number;
}

/** One entry. Texts are latin1, because names may contain any bytes. */
export type TarEntry = TarHeader;

/** Returns why an entry must not be unpacked; called before any byte of it is passed on. */
export type Judge = (entry: TarEntry) => string | undefined;

/** The archive is truncated or malformed. */
export class BrokenArchive extends Error {}

/** The archive contains an entry that must not be unpacked. */
export class HostileArchive extends Error {}

const BLOCK = 512;
/** Limit for the extended header of one entry; the engine writes a few hundred bytes. */
const MAX_RECORDS_LENGTH = 1024 * 1024;
/** From this size on, the size of a file is only in a record: eleven octal digits cannot hold it. */
const MIN_RECORDED_SIZE = 8 ** 11;

/** Regular files; old programs write a zero byte. Nothing else has content. */
const FILES = ['0', '\0'];

const LINKS = ['1', '2'];

/** Parses an archive header by header, as `tar` does, and counts its entries and bytes. */
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
  /** The extended header whose content is read. */
  #extended: TarHeader | undefined;
  /** Values for the next entry, and the types of the extended headers that they are from. */
  #toCome: TarRecords = {};
  #announced = '';
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

  /** Throws if the bytes cannot be part of an archive, or if programs read them differently. */
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
    try {
      if (was === 'header') this.#header(held);
      if (was === 'records' && this.#extended) this.#records(this.#extended, held);
    } catch (error) {
      if (!(error instanceof UnclearTar)) throw error;
      // Without a judge it comes from the engine or from our own tar, so that it is damaged rather than hostile.
      throw this.#judge ? this.#hostile(error.message) : this.#broken(error.message);
    }
  }

  #header(block: Buffer): void {
    if (block.every((byte) => byte === 0)) {
      this.#empty();
      return;
    }
    // GNU tar reads on after a single empty block, others end there.
    if (this.#emptyBlocks > 0) throw new UnclearTar('it continues after an empty block');
    const header = readHeader(block);
    if (recordTypes.has(header.type)) this.#announce(header);
    else this.#entry(header);
  }

  #empty(): void {
    if (this.#announced !== '') throw new UnclearTar('an extended header has no entry');
    this.#emptyBlocks++;
    if (this.#emptyBlocks === 2) this.#reading = 'end';
  }

  /** Begins the content of an extended header. */
  #announce(header: TarHeader): void {
    const { type, size } = header;
    if (size === 0 || size > MAX_RECORDS_LENGTH) throw new UnclearTar('the size of an extended header is invalid');
    // Programs differ in which one wins; only long names and long targets of GNU tar come together.
    const isPair = this.#announced !== '' && `${this.#announced}${type}`.match(/^(?:KL|LK)$/);
    if (type !== 'g' && this.#announced !== '' && !isPair)
      throw new UnclearTar('an entry has several extended headers');
    if (type === 'g' && this.#announced !== '') throw new UnclearTar('an extended header has no entry');
    if (type !== 'g') this.#announced += type;
    this.#extended = header;
    this.#reading = 'records';
    this.#left = Math.ceil(size / BLOCK) * BLOCK;
  }

  #records({ type, size }: TarHeader, content: Buffer): void {
    this.#extended = undefined;
    this.#toCome = { ...this.#toCome, ...readRecords(type, content.subarray(0, size)) };
  }

  #entry(header: TarHeader): void {
    const { path = header.path, target = header.target } = this.#toCome;
    const size = this.#sizeOf(header, path);
    this.#toCome = {};
    this.#announced = '';
    if (LINKS.includes(header.type) && target === '')
      throw new UnclearTar(`${JSON.stringify(path)} is a link to nothing`);
    const refusal = this.#judge?.({ path, type: header.type, target, size });
    if (refusal !== undefined) throw this.#hostile(refusal);
    this.#bytes += size;
    // The first folder is the top folder of the archive.
    if (this.#headers > 0 || header.type !== '5') this.#entries++;
    this.#headers++;
    if (size === 0) return;
    this.#reading = 'content';
    this.#left = Math.ceil(size / BLOCK) * BLOCK;
  }

  /** Returns the size, which must be the same for a program that does not read records. */
  #sizeOf({ type, size }: TarHeader, path: string): number {
    const { size: recorded = size } = this.#toCome;
    const name = JSON.stringify(path.slice(0, 200));
    if (path === '') throw new UnclearTar('an entry has no name');
    if (recorded !== size && recorded < MIN_RECORDED_SIZE) throw new UnclearTar(`${name} has two sizes`);
    if (FILES.includes(type)) {
      // Old programs have no type for folders, only this form of their names.
      if (path.endsWith('/')) throw new UnclearTar(`${name} is a file with the name of a folder`);
    } else if (size !== 0 || recorded !== 0) throw new UnclearTar(`${name} has a size but is not a file`);
    return recorded;
  }

  #hostile(why: string): HostileArchive {
    return new HostileArchive(`The archive of ${this.#what} is not unpacked: ${why}.`);
  }

  #broken(why: string): BrokenArchive {
    return new BrokenArchive(`The archive of ${this.#what} is corrupt: ${why}.`);
  }
}
