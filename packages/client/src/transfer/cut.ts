import { ChunkMemory } from './chunk-memory.ts';
import { Naming } from './chunk-name.ts';

export interface NamedChunk {
  readonly name: string;
  readonly bytes: Buffer;
}

const BLOCK = 512;
/** Bytes per call of the MAC: enough to amortise the call, few enough to stay in the CPU cache. */
const NAMED_AT_ONCE = 256 * 1024;
/**
 * Files from this size on start a new chunk, so that a change in one file does not shift the content of other chunks.
 */
const OWN_CHUNK_BYTES = 128 * 1024;

/**
 * Cuts a tar stream into chunks of at most the pool's buffer size, before and after every large file. Other content is
 * cut into equal pieces. Copies the bytes once and computes the chunk names on the way; keeps no reference to the
 * input.
 */
export class Cutter {
  readonly #memory: ChunkMemory;
  readonly #key: Buffer | undefined;
  readonly #marks = new TarMarks();
  #chunk: Buffer;
  #naming: Naming;
  #size = 0;
  /** Bytes of the chunk that are already part of its name. */
  #named = 0;

  /** `key` is used for the names of the chunks. */
  constructor(key: Buffer | undefined, memory = new ChunkMemory()) {
    this.#key = key;
    this.#memory = memory;
    this.#chunk = memory.take();
    this.#naming = new Naming(key);
  }

  /** Adds a piece and returns the chunks that it completes. */
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

  /** Returns the last, partial chunk. */
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
  /** Bytes of an incomplete header. */
  #header = Buffer.alloc(0);
  /** Headers such as a long name describe the next header and must stay in the same chunk. */
  #described = false;
  #afterLarge = false;
  #lost = false;

  /** Returns how many bytes belong together, and whether to cut before them. */
  take(bytes: Buffer): { length: number; cutBefore: boolean } {
    if (this.#lost) return { length: bytes.length, cutBefore: false };
    if (this.#content > 0) {
      const length = Math.min(this.#content, bytes.length);
      this.#content -= length;
      return { length, cutBefore: false };
    }
    return this.#takeHeader(bytes);
  }

  /** Returns content bytes of the last `take` that did not fit into the chunk. */
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
    // A header that arrived in two parts or follows a description already belongs to the current chunk.
    const cutBefore = begins && !this.#described && (large || this.#afterLarge);
    this.#afterLarge = large;
    this.#described = describes;
    return { length, cutBefore };
  }
}

/**
 * Parses the content size from a header; undefined if it is not a tar header. Zero blocks at the end count as empty
 * headers.
 */
function sizeIn(header: Buffer): number | undefined {
  if (header.every((byte) => byte === 0)) return 0;
  const stated = Number.parseInt(header.toString('latin1', 148, 156), 8);
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header[i] as number;
  if (sum !== stated) return undefined;
  // GNU's base-256 encoding for sizes that do not fit into octal digits.
  if (((header[124] as number) & 0x80) !== 0) return header.readUIntBE(130, 6);
  const size = Number.parseInt(header.toString('latin1', 124, 136), 8);
  return Number.isNaN(size) ? undefined : size;
}
