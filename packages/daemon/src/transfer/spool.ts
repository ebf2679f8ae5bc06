import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf } from '@hortus/client/transfer/hash';

export interface Placed {
  readonly sha256: string;
  readonly length: number;
}

/** It was another content than it should be; another attempt gets it right. */
export class Damaged extends Error {
  override name = 'Damaged';
}

/**
 * What has arrived of a volume, on the disk of the server it goes to: chunks under their hashes, and for each transfer the list
 * of those that are in place. It outlives the daemon, so that nothing that was acknowledged travels twice, and the copy that is
 * made while the application runs is what the last copy is compared with.
 */
export class Spool {
  readonly #directory: string;
  readonly #list: string;
  readonly #placed: Placed[];
  /** Those whose hash was seen to be right in this life of the daemon; a power cut can have spoilt others. */
  readonly #proven = new Set<string>();

  constructor(directory: string, transferId: string) {
    this.#directory = directory;
    this.#list = join(directory, `${transferId}.list`);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
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

  has(sha256: string): boolean {
    return existsSync(this.#fileOf(sha256));
  }

  /** There whole or not at all. Throws if it is not what it was announced as. */
  async keep(sha256: string, chunk: Buffer): Promise<void> {
    if (hashOf(chunk) !== sha256) throw new Damaged('A chunk arrived damaged.');
    const file = this.#fileOf(sha256);
    await writeFile(`${file}.draft`, chunk, { mode: 0o600 });
    await rename(`${file}.draft`, file);
    this.#proven.add(sha256);
  }

  /** The next one in its order. */
  place(chunk: Placed): void {
    appendFileSync(this.#list, `${chunk.sha256} ${chunk.length}\n`, { mode: 0o600 });
    this.#placed.push(chunk);
  }

  async read({ sha256 }: Placed): Promise<Buffer> {
    const chunk = await readFile(this.#fileOf(sha256));
    if (this.#proven.has(sha256)) return chunk;
    if (hashOf(chunk) !== sha256) {
      // It is asked for again with the next attempt.
      rmSync(this.#fileOf(sha256), { force: true });
      this.begin();
      throw new Damaged('A chunk was damaged on the disk of this server.');
    }
    this.#proven.add(sha256);
    return chunk;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #fileOf(sha256: string): string {
    return join(this.#directory, sha256);
  }
}

/** A line that was being written when the power went is none. */
function readList(path: string): Placed[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [sha256 = '', length] = line.split(' ');
    return { sha256, length: Number(length) };
  });
}
