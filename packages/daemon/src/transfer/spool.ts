import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCalled, Naming } from '@hortus/client/transfer/chunk-name';

export interface Placed {
  readonly name: string;
  readonly length: number;
}

/** It was another content than it should be; another attempt gets it right. */
export class Damaged extends Error {
  override name = 'Damaged';
}

/**
 * What has arrived of a volume, on the disk of the server it goes to: chunks under their names, and for each transfer the list
 * of those that are in place. It outlives the daemon, so that nothing that was acknowledged travels twice, and the copy that is
 * made while the application runs is what the last copy is compared with.
 */
export class Spool {
  readonly #directory: string;
  readonly #list: string;
  readonly #placed: Placed[];
  /** What the names of chunks are made with. */
  readonly key: Buffer;
  /** Those whose name was seen to be right in this life of the daemon; a power cut can have spoilt others. */
  readonly #proven = new Set<string>();

  constructor(directory: string, transferId: string) {
    this.#directory = directory;
    this.#list = join(directory, `${transferId}.list`);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.key = keyOf(directory);
    this.#placed = readList(this.#list);
  }

  get placed(): readonly Placed[] {
    return this.#placed;
  }

  /** The volume is read anew: nothing is in place, but what is here need not travel again. */
  begin(): void {
    this.#placed.length = 0;
    writeFileSync(this.#list, '', { mode: 0o600 });
  }

  has(name: string): boolean {
    return this.#proven.has(name) || existsSync(this.#fileOf(name));
  }

  /** For a chunk that arrives: there whole, once it is kept, or not at all. */
  draft(name: string): Draft {
    return new Draft(this.#fileOf(name), name, this.key);
  }

  /** Throws if it is not what it was announced as. */
  keep(draft: Draft): void {
    draft.keep();
    this.#proven.add(draft.name);
  }

  /** The next one in its order. */
  place(chunk: Placed): void {
    appendFileSync(this.#list, `${chunk.name} ${chunk.length}\n`, { mode: 0o600 });
    this.#placed.push(chunk);
  }

  async read({ name }: Placed): Promise<Buffer> {
    const chunk = await readFile(this.#fileOf(name));
    if (this.#proven.has(name)) return chunk;
    if (!isCalled(chunk, name, this.key)) {
      // It is asked for again with the next attempt.
      rmSync(this.#fileOf(name), { force: true });
      this.begin();
      throw new Damaged('A chunk was damaged on the disk of this server.');
    }
    this.#proven.add(name);
    return chunk;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #fileOf(name: string): string {
    return join(this.#directory, name);
  }
}

/**
 * A chunk on its way to the disk. Its pieces go into the page cache as they come, while they are in the cache of the processor, and
 * without a thread between: collected and handed over in larger parts they took twice the processor time. On a slow disk a piece
 * waits for as long as the disk takes for it, which is what everything behind it has to wait for anyway.
 */
export class Draft {
  /** As it was announced. */
  readonly name: string;
  readonly #file: string;
  readonly #naming: Naming;
  readonly #opened: number;

  constructor(file: string, name: string, key: Buffer) {
    this.name = name;
    this.#file = file;
    this.#naming = Naming.like(name, key);
    this.#opened = openSync(`${file}.draft`, 'w', 0o600);
  }

  add(piece: Buffer): void {
    this.#naming.add(piece);
    for (let at = 0; at < piece.length; ) at += writeSync(this.#opened, piece, at);
  }

  keep(): void {
    closeSync(this.#opened);
    if (this.#naming.name() !== this.name) throw new Damaged('A chunk arrived damaged.');
    renameSync(`${this.#file}.draft`, this.#file);
  }

  /** It will not be whole. */
  drop(): void {
    closeSync(this.#opened);
  }
}

/** The same for all copies of a volume: by another one, nothing that is here would be known again. */
function keyOf(directory: string): Buffer {
  const file = join(directory, 'key');
  if (existsSync(file)) return readFileSync(file);
  const key = randomBytes(32);
  // On the disk for certain before anything is named by it.
  writeFileSync(`${file}.draft`, key, { mode: 0o600, flush: true });
  renameSync(`${file}.draft`, file);
  return key;
}

/** A line that was being written when the power went is none. */
function readList(path: string): Placed[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [name = '', length] = line.split(' ');
    return { name, length: Number(length) };
  });
}
