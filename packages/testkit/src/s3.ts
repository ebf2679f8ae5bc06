import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Failure that a test injects into a request. */
export type Trouble = 'unavailable' | 'hang_up' | 'cut' | undefined;

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Ids of unfinished uploads. */
  readonly uploads: readonly string[];
  /** Received methods and addresses, in order. */
  readonly asked: readonly string[];
  trouble: (method: string, url: string) => Trouble;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const hash = (of: string | Buffer) => createHash('sha256').update(of).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const md5 = (of: Buffer) => `"${createHash('md5').update(of).digest('hex')}"`;
const LEAST_PART = 5 * 1024 * 1024;

/**
 * Simulates an S3 service, because Debian has none that a test could start quickly. It is strict where it matters:
 * every request needs a valid version 4 signature over its body, computed by separate code; parts must be large enough,
 * named by their tags and in order; unfinished uploads are invisible. Paths start with the bucket, and lists contain at
 * most two names, so that clients have to continue.
 */
export async function startS3({ leastPart = LEAST_PART } = {}): Promise<S3Server> {
  const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'the secret of the test' };
  const [bucket, region] = ['backups', 'eu-test-1'];
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  const asked: string[] = [];
  let number = 0;

  function check({ method = '', headers, url = '' }: IncomingMessage, body: Buffer): void {
    const given =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
        headers.authorization ?? '',
      );
    if (!given) throw new Refusal(403, 'AccessDenied');
    const [, id, day = '', scopeRegion = '', names = '', signature] = given;
    if (id !== credentials.accessKeyId) throw new Refusal(403, 'InvalidAccessKeyId');
    if (scopeRegion !== region) throw new Refusal(400, 'AuthorizationHeaderMalformed');
    const time = String(headers['x-amz-date']);
    if (headers['x-amz-content-sha256'] !== hash(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
    for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date'])
      if (!names.split(';').includes(name)) throw new Refusal(403, 'AccessDenied');
    const [path = '', search = ''] = url.split('?');
    const query = search === '' ? [] : search.split('&').map((pair) => (pair.includes('=') ? pair : `${pair}=`));
    const lines = names.split(';').map((name) => `${name}:${headers[name]}`);
    const request = [method, path, query.sort().join('&'), ...lines, '', names, hash(body)].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
    const due = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash(request)].join('\n')).toString('hex');
    if (due !== signature) throw new Refusal(403, 'SignatureDoesNotMatch');
  }

  function uploadOf(id: string | null, key: string) {
    const upload = uploads.get(id ?? '');
    if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload');
    return upload;
  }

  function complete(id: string, key: string, body: string): void {
    const { parts } = uploadOf(id, key);
    const named = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const content = named.map(([, position, tag = ''], i) => {
      const part = parts.get(Number(position));
      if (!part || Number(position) !== i + 1 || md5(part) !== tag.replaceAll('&quot;', '"'))
        throw new Refusal(400, 'InvalidPart');
      if (part.length < leastPart && i < named.length - 1) throw new Refusal(400, 'EntityTooSmall');
      return part;
    });
    if (content.length === 0) throw new Refusal(400, 'MalformedXML');
    objects.set(key, Buffer.concat(content));
    uploads.delete(id);
  }

  function list(prefix: string): string {
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const shown = keys.slice(0, 2).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    return `<ListBucketResult><IsTruncated>${keys.length > 2}</IsTruncated>${shown.join('')}</ListBucketResult>`;
  }

  function listUploads(prefix: string): string {
    const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
    const shown = found.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
    return `<ListMultipartUploadsResult>${shown.join('')}</ListMultipartUploadsResult>`;
  }

  function serve(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    check(request, body);
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://here');
    const [, first, ...rest] = pathname.split('/').map(decodeURIComponent);
    if (first !== bucket) throw new Refusal(404, 'NoSuchBucket');
    const key = rest.join('/');
    const uploadId = query.get('uploadId');
    switch (`${request.method}${key === '' ? ' bucket' : ''}${uploadId === null ? '' : ' upload'}`) {
      case 'GET bucket':
        response.end(query.has('uploads') ? listUploads(query.get('prefix') ?? '') : list(query.get('prefix') ?? ''));
        return;
      case 'POST': {
        const id = `upload-${++number}`;
        uploads.set(id, { key, parts: new Map() });
        response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
        return;
      }
      case 'PUT upload':
        uploadOf(uploadId, key).parts.set(Number(query.get('partNumber')), body);
        response.writeHead(200, { etag: md5(body) }).end();
        return;
      case 'POST upload':
        complete(uploadId ?? '', key, body.toString('utf8'));
        response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
        return;
      case 'DELETE upload':
        uploadOf(uploadId, key);
        uploads.delete(uploadId ?? '');
        response.writeHead(204).end();
        return;
      case 'PUT':
        objects.set(key, body);
        response.writeHead(200, { etag: md5(body) }).end();
        return;
      case 'DELETE':
        objects.delete(key);
        response.writeHead(204).end();
        return;
      case 'GET': {
        const object = objects.get(key);
        if (!object) throw new Refusal(404, 'NoSuchKey');
        const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
        const content = object.subarray(from);
        response.writeHead(from > 0 ? 206 : 200, { 'content-length': content.length });
        if (server.trouble('BODY', request.url ?? '') !== 'cut') return void response.end(content);
        response.write(content.subarray(0, content.length >> 1), () => response.destroy());
        return;
      }
      default:
        throw new Refusal(405, 'MethodNotAllowed');
    }
  }

  const http = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    asked.push(`${method} ${url}`);
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const trouble = server.trouble(method, url);
    if (trouble === 'hang_up') return void response.destroy();
    try {
      if (trouble === 'unavailable') throw new Refusal(503, 'SlowDown');
      serve(request, response, body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const words = `<Error><Code>${error.code}</Code><Message>The request is rejected.</Message></Error>`;
      response.writeHead(error.status, { 'content-type': 'application/xml' }).end(words);
    }
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const server: S3Server = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    bucket,
    region,
    credentials,
    objects,
    get uploads() {
      return [...uploads.keys()];
    },
    asked,
    trouble: () => undefined,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
  return server;
}
