import { Readable } from 'node:stream';
import type { BackupPlace, BackupStore } from '../backup-store.ts';
import { Bucket, type BucketSettings, type BucketTimes } from './bucket.ts';
import { BucketProblem } from './bucket-problem.ts';
import { childrenOf, textOf } from './xml.ts';

export interface S3Settings extends BucketSettings {
  /** Prefix of all object names; empty, or ending with a slash. */
  readonly prefix: string;
}

/** Bytes of a file held in memory. S3 allows 10,000 parts, so a file may have 312 GiB. */
const PART_BYTES = 32 * 1024 * 1024;
const MAX_PARTS = 10_000;

/** Stores backups in an S3 bucket. They are sealed before, so the service cannot read them. */
export class S3Store implements BackupStore {
  readonly address: string;
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #partBytes: number;

  constructor(
    settings: S3Settings,
    { partBytes = PART_BYTES, ...times }: Partial<BucketTimes & { partBytes: number }> = {},
  ) {
    const { endpoint, bucket, prefix } = settings;
    this.address = `s3://${bucket}/${prefix} at ${new URL(endpoint).host}`;
    this.#bucket = new Bucket(settings, times);
    this.#prefix = prefix;
    this.#partBytes = partBytes;
  }

  /** Writes a file atomically: a multipart upload has no effect until it is completed. */
  async write(place: BackupPlace, file: string, content: Readable): Promise<void> {
    const key = `${this.#folder(place)}${file}`;
    const parts = inParts(content, this.#partBytes);
    const first = (await parts.next()).value ?? Buffer.alloc(0);
    const second = await parts.next();
    if (second.done) await this.#bucket.ask({ method: 'PUT', key, body: first });
    else await this.#upload(key, first, second.value, parts);
  }

  async read(place: BackupPlace, file: string): Promise<Readable> {
    const content = this.#bucket.read(`${this.#folder(place)}${file}`);
    // Fetch the first piece now, so that a missing object rejects here.
    const first = await content.next();
    return Readable.from(startingWith(first, content), { objectMode: false });
  }

  async remove(place: BackupPlace): Promise<void> {
    const prefix = this.#folder(place);
    for await (const { key, uploadId } of this.#unfinished(prefix)) await this.#abort(key, uploadId);
    for (;;) {
      const { keys, truncated } = await this.#list(prefix);
      for (const key of keys) await this.#bucket.ask({ method: 'DELETE', key });
      if (keys.length === 0 || !truncated) return;
    }
  }

  async free(): Promise<number | undefined> {
    return undefined;
  }

  async #upload(key: string, first: Buffer, second: Buffer, rest: AsyncIterable<Buffer>): Promise<void> {
    const { root } = await this.#bucket.ask({ method: 'POST', key, query: { uploads: '' } });
    const uploadId = textOf(root, 'UploadId');
    if (uploadId === undefined) throw new BucketProblem('refused', 'The bucket does not support multipart uploads.');
    try {
      const tags: string[] = [];
      const put = async (body: Buffer) => {
        if (tags.length === MAX_PARTS) throw new Error(`${key} exceeds the size limit of the bucket.`);
        const query = { partNumber: String(tags.length + 1), uploadId };
        const { headers } = await this.#bucket.ask({ method: 'PUT', key, query, body });
        tags.push(headers.etag ?? '');
      };
      await put(first);
      await put(second);
      for await (const part of rest) await put(part);
      await this.#complete(key, uploadId, tags);
    } catch (error) {
      // Incomplete uploads cost storage until they are aborted.
      await this.#abort(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  async #complete(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    try {
      await this.#bucket.ask({ method: 'POST', key, query: { uploadId }, body });
    } catch (error) {
      // The first attempt may have succeeded and only its response was lost.
      if (!(error instanceof BucketProblem) || error.kind !== 'absent' || !(await this.#isThere(key))) throw error;
    }
  }

  async #isThere(key: string): Promise<boolean> {
    return (await this.#list(key)).keys.includes(key);
  }

  /** Returns the first keys with the prefix, as many as the service lists at once. */
  async #list(prefix: string): Promise<{ keys: string[]; truncated: boolean }> {
    const { root } = await this.#bucket.ask({ method: 'GET', query: { 'list-type': '2', prefix } });
    // A request without a key would be about the bucket itself.
    const keys = childrenOf(root, 'Contents').flatMap((object) => textOf(object, 'Key') || []);
    return { keys, truncated: textOf(root, 'IsTruncated') === 'true' };
  }

  async #abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.#bucket.ask({ method: 'DELETE', key, query: { uploadId } });
    } catch (error) {
      if (!(error instanceof BucketProblem) || error.kind !== 'absent') throw error;
    }
  }

  /** Lists multipart uploads that a killed daemon left. */
  async *#unfinished(prefix: string): AsyncGenerator<{ key: string; uploadId: string }> {
    const { root } = await this.#bucket.ask({ method: 'GET', query: { uploads: '', prefix } });
    for (const upload of childrenOf(root, 'Upload')) {
      const [key, uploadId] = [textOf(upload, 'Key'), textOf(upload, 'UploadId')];
      if (key && uploadId) yield { key, uploadId };
    }
  }

  #folder({ instanceUid, backupId }: BackupPlace): string {
    return `${this.#prefix}${instanceUid}/${backupId}/`;
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Splits content into parts of equal length except the last; some services require it. */
async function* inParts(content: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer, undefined> {
  let held: Buffer[] = [];
  let size = 0;
  for await (let piece of content) {
    while (size + piece.length >= length) {
      const fitting = length - size;
      yield Buffer.concat([...held, piece.subarray(0, fitting)]);
      piece = piece.subarray(fitting);
      held = [];
      size = 0;
    }
    if (piece.length === 0) continue;
    held.push(piece);
    size += piece.length;
  }
  if (size > 0) yield Buffer.concat(held);
}

async function* startingWith(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
