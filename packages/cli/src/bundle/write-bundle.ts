import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createZstdCompress } from 'node:zlib';
import { sealChunks } from '@hortus/client/sealing/sealed-chunks';
import type { Bundle } from '@hortus/contract/resources/imports';
import { type BundleKey, type Hardening, hardening, keyFrom, sectionKey } from './keys.ts';
import { type Contents, type Ending, FORMAT, type Header, type KeptVolume, MARK } from './layout.ts';

/** Streams a bundle to disk with one chunk in memory. The file gets its final name once it is complete and synced. */
export class BundleWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #key: BundleKey;
  readonly #volumes: KeptVolume[] = [];
  #section = 0;
  /** Also runs when the process exits early. */
  readonly #leave = () => rmSync(`${this.#path}.part`, { force: true });

  static async begin(
    path: string,
    passphrase: string,
    bundle: Bundle,
    strength: Omit<Hardening, 'salt'> = hardening,
  ): Promise<BundleWriter> {
    const scrypt = { ...strength, salt: randomBytes(16).toString('hex') };
    const key = await keyFrom(passphrase, scrypt);
    const file = await open(`${path}.part`, 'w', 0o600);
    const writer = new BundleWriter(path, file, key);
    try {
      const header: Header = { scrypt, check: key.check };
      await file.write(`${MARK} ${FORMAT}\n${JSON.stringify(header)}\n`);
      await writer.#json({ bundle } satisfies Contents);
      return writer;
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  private constructor(path: string, file: FileHandle, key: BundleKey) {
    this.#path = path;
    this.#file = file;
    this.#key = key;
    process.once('exit', this.#leave);
  }

  async volume(name: string, content: AsyncIterable<Buffer>): Promise<KeptVolume> {
    const hash = createHash('sha256');
    let bytes = 0;
    const counted = async function* () {
      for await (const piece of content) {
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    };
    const compress = createZstdCompress();
    pipeline(Readable.from(counted(), { objectMode: false }), compress, () => undefined);
    await this.#write(compress);
    const kept = { name, bytes, sha256: hash.digest('hex') };
    this.#volumes.push(kept);
    return kept;
  }

  async finish(): Promise<readonly KeptVolume[]> {
    await this.#json({ volumes: this.#volumes } satisfies Ending);
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.part`, this.#path);
    process.off('exit', this.#leave);
    return this.#volumes;
  }

  /** Removes the partial file. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await rm(`${this.#path}.part`, { force: true });
    process.off('exit', this.#leave);
  }

  async #json(value: unknown): Promise<void> {
    await this.#write([Buffer.from(JSON.stringify(value))]);
  }

  async #write(content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    const key = sectionKey(this.#key, this.#section++);
    for await (const chunk of sealChunks(key, content)) await this.#file.write(chunk);
  }
}
