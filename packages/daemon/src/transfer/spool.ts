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

/** The content does not match its name; a retry fetches it again. */
export class Damaged extends Error {
  override name = 'Damaged';
}

/**
 * Stores the chunks of a volume on the target server, and for each transfer the list of placed chunks. It survives the
 * daemon, so acknowledged chunks are never sent twice, and the final copy resends only what changed since the copy made
 * while the application ran.
 */
export class Spool {
  readonly #directory: string;
  readonly #list: string;
  readonly #placed: Placed[];
  /** Key for chunk names. */
  readonly key: Buffer;
  /** Chunks verified since the daemon started; a power cut may have damaged the others. */
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

  /** Restarts the transfer: clears the list of placed chunks and keeps their content. */
  begin(): void {
    this.#placed.length = 0;
    writeFileSync(this.#list, '', { mode: 0o600 });
  }

  has(name: string): boolean {
    return this.#proven.has(name) || existsSync(this.#fileOf(name));
  }

  /** Opens a file for an arriving chunk; it becomes visible only once it is complete. */
  draft(name: string): Draft {
    return new Draft(this.#fileOf(name), name, this.key);
  }

  /** Throws if the content does not match its name. */
  keep(draft: Draft): void {
    draft.keep();
    this.#proven.add(draft.name);
  }

  /** Appends the next chunk to the list. */
  place(chunk: Placed): void {
    appendFileSync(this.#list, `${chunk.name} ${chunk.length}\n`, { mode: 0o600 });
    this.#placed.push(chunk);
  }

  async read({ name }: Placed): Promise<Buffer> {
    const chunk = await readFile(this.#fileOf(name));
    if (this.#proven.has(name)) return chunk;
    if (!isCalled(chunk, name, this.key)) {
      // The next attempt requests it again.
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
 * Writes a chunk to disk as its pieces arrive, synchronously while they are in the CPU cache: collecting them and using
 * a worker thread took twice the CPU time. A slow disk blocks the event loop per piece, but everything behind that
 * piece has to wait for it anyway.
 */
export class Draft {
  /** Announced name. */
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

  /** Abandons an incomplete chunk. */
  drop(): void {
    closeSync(this.#opened);
  }
}

/**
 * Reads or creates the key. All transfers of a volume share it; with another key no stored chunk would be recognised.
 */
function keyOf(directory: string): Buffer {
  const file = join(directory, 'key');
  if (existsSync(file)) return readFileSync(file);
  const key = randomBytes(32);
  // Flushed before any chunk is named by it.
  writeFileSync(`${file}.draft`, key, { mode: 0o600, flush: true });
  renameSync(`${file}.draft`, file);
  return key;
}

/** Reads the list; ignores a last line that a power cut left incomplete. */
function readList(path: string): Placed[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [name = '', length] = line.split(' ');
    return { name, length: Number(length) };
  });
}
