import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Entry, tar } from './tar.ts';

/** Reference to a blob, as the image specification writes it. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Layer {
  readonly descriptor: Descriptor;
  /** Digest of the archive before compression. */
  readonly diffId: string;
}

/** The folder `blobs` of an image layout: each file is named by its content. Large layers are kept for later builds. */
export class Blobs {
  readonly folder: string;
  readonly #cache: string;

  constructor(layout: string, cache: string) {
    this.folder = join(layout, 'blobs/sha256');
    this.#cache = cache;
  }

  async addJson(mediaType: string, value: unknown): Promise<Descriptor> {
    await mkdir(this.folder, { recursive: true });
    const bytes = Buffer.from(JSON.stringify(value));
    const name = createHash('sha256').update(bytes).digest('hex');
    await writeFile(join(this.folder, name), bytes);
    return { mediaType, digest: `sha256:${name}`, size: bytes.length };
  }

  /** Writes a compressed layer. Neither archive nor compression contain the time of the build. `keep` is for layers that stay the same. */
  async addLayer(entries: readonly Entry[], time: number, { keep = false } = {}): Promise<Layer> {
    for (const folder of [this.folder, this.#cache]) await mkdir(folder, { recursive: true });
    const plain = createHash('sha256');
    for await (const piece of tar(entries, time)) plain.update(piece);
    const diffId = plain.digest('hex');
    const kept = join(this.#cache, `${diffId}-zlib-${process.versions.zlib}`);
    const draft = join(this.folder, '.draft');
    const isKept = await copyFile(kept, draft).then(
      () => true,
      () => false,
    );
    if (!isKept) await pipeline(Readable.from(tar(entries, time)), createGzip({ level: 6 }), createWriteStream(draft));
    const compressed = createHash('sha256');
    for await (const piece of createReadStream(draft)) compressed.update(piece);
    const name = compressed.digest('hex');
    if (keep && !isKept)
      await copyFile(draft, `${kept}.${process.pid}`).then(() => rename(`${kept}.${process.pid}`, kept));
    await rename(draft, join(this.folder, name));
    const { size } = await stat(join(this.folder, name));
    return {
      descriptor: { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: `sha256:${name}`, size },
      diffId: `sha256:${diffId}`,
    };
  }
}

/** Path of a blob in a layout. */
export const blobPath = ({ digest }: Pick<Descriptor, 'digest'>): string => `blobs/${digest.replace(':', '/')}`;
