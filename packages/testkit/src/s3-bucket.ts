import { createHash } from 'node:crypto';
import { S3Refusal } from './s3-refusal.ts';

export const etag = (content: Buffer) => `"${createHash('md5').update(content).digest('hex')}"`;

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

/** Stores the objects and unfinished uploads of a bucket in memory. */
export class S3Bucket {
  readonly objects = new Map<string, Buffer>();
  readonly #uploads = new Map<string, Upload>();
  readonly #minPart: number;
  #begun = 0;

  constructor(minPart: number) {
    this.#minPart = minPart;
  }

  get uploadIds(): string[] {
    return [...this.#uploads.keys()];
  }

  /** Begins an upload and returns its id. */
  begin(key: string): string {
    const id = `upload-${++this.#begun}`;
    this.#uploads.set(id, { key, parts: new Map() });
    return id;
  }

  upload(id: string | null, key: string): Upload {
    const upload = this.#uploads.get(id ?? '');
    if (upload?.key !== key) throw new S3Refusal(404, 'NoSuchUpload');
    return upload;
  }

  abort(id: string, key: string): void {
    this.upload(id, key);
    this.#uploads.delete(id);
  }

  /** Joins the parts that the request names; they must be in order, and all but the last large enough. */
  complete(id: string, key: string, body: string): void {
    const { parts } = this.upload(id, key);
    const named = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const content = named.map(([, position, tag = ''], i) => {
      const part = parts.get(Number(position));
      if (!part || Number(position) !== i + 1 || etag(part) !== tag.replaceAll('&quot;', '"'))
        throw new S3Refusal(400, 'InvalidPart');
      if (part.length < this.#minPart && i < named.length - 1) throw new S3Refusal(400, 'EntityTooSmall');
      return part;
    });
    if (content.length === 0) throw new S3Refusal(400, 'MalformedXML');
    this.objects.set(key, Buffer.concat(content));
    this.#uploads.delete(id);
  }

  list(prefix: string): string {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const shown = keys.slice(0, 2).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    return `<ListBucketResult><IsTruncated>${keys.length > 2}</IsTruncated>${shown.join('')}</ListBucketResult>`;
  }

  listUploads(prefix: string): string {
    const found = [...this.#uploads].filter(([, { key }]) => key.startsWith(prefix));
    const shown = found.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
    return `<ListMultipartUploadsResult>${shown.join('')}</ListMultipartUploadsResult>`;
  }
}
