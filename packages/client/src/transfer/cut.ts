import { ChunkMemory } from './chunk-memory.ts';
import { Naming } from './chunk-name.ts';

export interface NamedChunk {
  readonly name: string;
  readonly bytes: Buffer;
}

const BLOCK = 512;
/** What is named at once: enough to be worth the call, and still in the cache of the processor. */
const NAMED_AT_ONCE = 256 * 1024;
/** A file of this size begins a chunk of its own, so that a change of one file moves no other file to another place in its chunk. */
const OWN_CHUNK_BYTES = 128 * 1024;

/**
 * Cuts a tar stream into chunks that fit into the memory given, before and behind every large file. Of what is no tar it cuts equal
 * pieces. Nothing of the stream is held on to: its bytes are copied, once, and named on the way.
 */
export class Cutter {
  readonly #memory: ChunkMemory;
  readonly #key: Buffer | undefined;
  readonly #marks = new TarMarks();
  #chunk: Buffer;
  #naming: Naming;
  #size = 0;
  /** How much of it has gone into its name. */
  #named = 0;

  /** `key` is the one that the names are made with. */
  constructor(key: Buffer | undefined, memory = new ChunkMemory()) {
    this.#key = key;
    this.#memory = memory;
    this.#chunk = memory.take();
    this.#naming = new Naming(key);
  }

  /** The chunks that are whole with this piece. */
  take(piece: Buffer): NamedChunk[] {
    const chunks: NamedChunk[] = [];
    for (let rest = piece; rest.length > 0; ) {
      const { length, cutBefore } = this.#marks.take(rest);
      if (cutBefore && this.#size > 0) chunks.push(this.#whole());
      const taken = Math.min(length, this.#memory.size - this.#size);
      if (taken < length) this.#marks.giveBack(length - taken);
      rest.copy(this.#chunk, this.#size, 0, taken);
      rest = rest.subarray(taken);
      this.#size += taken;
      if (this.#size - this.#named >= NAMED_AT_ONCE) this.#nameRest();
      if (this.#size === this.#memory.size) chunks.push(this.#whole());
    }
    return chunks;
  }

  /** What is left. */
  end(): NamedChunk[] {
    return this.#size > 0 ? [this.#cut()] : [];
  }

  #whole(): NamedChunk {
    const cut = this.#cut();
    this.#chunk = this.#memory.take();
    this.#naming = new Naming(this.#key);
    this.#size = 0;
    this.#named = 0;
    return cut;
  }

  #nameRest(): void {
    this.#naming.add(this.#chunk.subarray(this.#named, this.#size));
    this.#named = this.#size;
  }

  #cut(): NamedChunk {
    this.#nameRest();
    return { name: this.#naming.name(), bytes: this.#chunk.subarray(0, this.#size) };
  }
}

/** Follows a tar stream from header to header. */
class TarMarks {
  /** Bytes of content, with its padding, until the next header. */
  #content = 0;
  /** A header that has come only in part: its bytes so far. */
  #header = Buffer.alloc(0);
  /** Headers that describe the next one, such as of a long name, belong in front of it. */
  #described = false;
  #afterLarge = false;
  #lost = false;

  /** How many of these bytes belong together, and whether a chunk should end before them. */
  take(bytes: Buffer): { length: number; cutBefore: boolean } {
    if (this.#lost) return { length: bytes.length, cutBefore: false };
    if (this.#content > 0) {
      const length = Math.min(this.#content, bytes.length);
      this.#content -= length;
      return { length, cutBefore: false };
    }
    return this.#takeHeader(bytes);
  }

  /** Bytes of the content that was taken last did not fit. */
  giveBack(length: number): void {
    if (!this.#lost) this.#content += length;
  }

  #takeHeader(bytes: Buffer): { length: number; cutBefore: boolean } {
    const length = Math.min(BLOCK - this.#header.length, bytes.length);
    const begins = this.#header.length === 0;
    this.#header = Buffer.concat([this.#header, bytes.subarray(0, length)]);
    if (this.#header.length < BLOCK) return { length, cutBefore: false };
    const header = this.#header;
    this.#header = Buffer.alloc(0);
    const size = sizeIn(header);
    if (size === undefined) {
      this.#lost = true;
      return { length, cutBefore: false };
    }
    this.#content = Math.ceil(size / BLOCK) * BLOCK;
    const describes = 'xgLK'.includes(String.fromCharCode(header[156] ?? 0));
    const large = !describes && size >= OWN_CHUNK_BYTES;
    // Where the header came in two parts, or a description is in front of it, its chunk has begun already.
    const cutBefore = begins && !this.#described && (large || this.#afterLarge);
    this.#afterLarge = large;
    this.#described = describes;
    return { length, cutBefore };
  }
}

/** Of the content behind a header; undefined if this is none. Blocks of zeros at the end are headers of nothing. */
function sizeIn(header: Buffer): number | undefined {
  if (header.every((byte) => byte === 0)) return 0;
  const stated = Number.parseInt(header.toString('latin1', 148, 156), 8);
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header[i] as number;
  if (sum !== stated) return undefined;
  // GNU's way of saying what does not fit into octal digits.
  if (((header[124] as number) & 0x80) !== 0) return header.readUIntBE(130, 6);
  const size = Number.parseInt(header.toString('latin1', 124, 136), 8);
  return Number.isNaN(size) ? undefined : size;
}
