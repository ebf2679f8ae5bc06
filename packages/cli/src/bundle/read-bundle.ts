import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdDecompress } from 'node:zlib';
import { openChunks, SealBroken } from '@hortus/client/sealing/sealed-chunks';
import type { Bundle } from '@hortus/contract/resources/imports';
import { Failure } from '../failure.ts';
import { type BundleKey, isBearable, isSame, keyFrom, sectionKey } from './keys.ts';
import { type Contents, type Ending, FORMAT, type Header, type KeptVolume, MARK, MAX_HEADER_LENGTH } from './layout.ts';

/** A bundle that was fully read and verified. */
export class BundleReader {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #key: BundleKey;
  /** Start offset of each section; the last entry is the end of the file. */
  readonly #places: number[];
  #bundle: Bundle | undefined;
  #volumes: readonly KeptVolume[] = [];

  /** Verifies the whole file, so that every error is known before anything is sent. */
  static async open(path: string, passphrase: string): Promise<BundleReader> {
    const file = await open(path).catch(() => {
      throw new Failure('missing', `${path} does not exist or cannot be read.`);
    });
    try {
      const { header, end } = await readHeader(path, file);
      const key = await keyFrom(passphrase, header.scrypt);
      if (!isSame(key.check, header.check)) throw new Failure('refused', `This is not the passphrase of ${path}.`);
      const reader = new BundleReader(path, file, key, end);
      await reader.#check();
      return reader;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private constructor(path: string, file: FileHandle, key: BundleKey, begin: number) {
    this.#path = path;
    this.#file = file;
    this.#key = key;
    this.#places = [begin];
  }

  get bundle(): Bundle {
    if (!this.#bundle) throw new Error('A bundle is read before it is used.');
    return this.#bundle;
  }

  get volumes(): readonly KeptVolume[] {
    return this.#volumes;
  }

  /** Streams a volume from its start as a tar archive; repeatable. */
  volume(name: string): AsyncIterable<Buffer> {
    const index = this.bundle.volumes.findIndex((volume) => volume.name === name);
    if (index < 0) throw new Error(`The bundle has no volume ${name}.`);
    return this.#unpacked(index + 1, `the volume ${name}`);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #check(): Promise<void> {
    this.#bundle = ((await this.#json(0, 'its definition')) as Contents).bundle;
    const found: KeptVolume[] = [];
    for (const [index, { name }] of this.#bundle.volumes.entries()) {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const piece of this.#unpacked(index + 1, `the volume ${name}`)) {
        hash.update(piece);
        bytes += piece.length;
      }
      found.push({ name, bytes, sha256: hash.digest('hex') });
    }
    const { volumes } = (await this.#json(found.length + 1, 'its end')) as Ending;
    for (const [index, { name, bytes, sha256 }] of found.entries()) {
      const stated = volumes[index];
      if (stated?.name !== name || stated.bytes !== bytes || stated.sha256 !== sha256)
        throw this.#damaged(`the volume ${name} does not match its checksum`);
    }
    const { size } = await this.#file.stat();
    if (size !== this.#places.at(-1)) throw this.#damaged('something follows its end');
    this.#volumes = found;
  }

  async #json(index: number, what: string): Promise<unknown> {
    return JSON.parse((await buffer(this.#section(index, what))).toString('utf8'));
  }

  #unpacked(index: number, what: string): AsyncIterable<Buffer> {
    const unpack = createZstdDecompress();
    pipeline(Readable.from(this.#section(index, what), { objectMode: false }), unpack, () => undefined);
    return unpack;
  }

  async *#section(section: number, what: string): AsyncGenerator<Buffer> {
    let at = this.#places[section];
    if (at === undefined) throw new Error('Sections are read in their order first.');
    const read = async (length: number) => {
      const { buffer: bytes, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, at);
      at = (at as number) + bytesRead;
      return bytes.subarray(0, bytesRead);
    };
    try {
      yield* openChunks(sectionKey(this.#key, section), read);
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      throw this.#damaged(
        error.reason === 'cut' ? `it is cut off in ${what}` : `a byte was changed in ${what}, chunk ${error.chunk}`,
      );
    }
    this.#places[section + 1] = at;
  }

  #damaged(why: string): Failure {
    return new Failure('refused', `${this.#path} cannot be used: ${why}.`);
  }
}

async function readHeader(path: string, file: FileHandle): Promise<{ header: Header; end: number }> {
  const start = Buffer.alloc(MAX_HEADER_LENGTH);
  const { bytesRead } = await file.read(start, 0, MAX_HEADER_LENGTH, 0);
  const [first = '', second] = start.toString('latin1', 0, bytesRead).split('\n', 2);
  const [mark, format] = first.split(' ');
  if (mark !== MARK || second === undefined) throw new Failure('refused', `${path} is not a Hortus bundle.`);
  if (Number(format) !== FORMAT) {
    const hint = 'Use a newer version of hortus.';
    throw new Failure('refused', `${path} is a bundle of format ${format}; this program reads format ${FORMAT}.`, {
      hint,
    });
  }
  try {
    const header = JSON.parse(second) as Header;
    if (isBearable(header.scrypt) && typeof header.check === 'string')
      return { header, end: first.length + second.length + 2 };
  } catch {
    // Handled below: a damaged header and a forged one look the same.
  }
  throw new Failure('refused', `${path} cannot be used: its header was changed.`);
}
