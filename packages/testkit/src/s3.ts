import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { etag, S3Bucket } from './s3-bucket.ts';
import { S3Refusal } from './s3-refusal.ts';
import { checkSignature } from './s3-signature.ts';

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

const MIN_PART = 5 * 1024 * 1024;

/**
 * Simulates an S3 service, because Debian has none that a test could start quickly. It is strict where it matters:
 * every request needs a valid version 4 signature over its body, computed by separate code; parts must be large enough,
 * named by their tags and in order; unfinished uploads are invisible. Paths start with the bucket, and lists contain at
 * most two names, so that clients have to continue.
 */
export async function startS3({ minPart = MIN_PART } = {}): Promise<S3Server> {
  const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'the secret of the test' };
  const [bucket, region] = ['backups', 'eu-test-1'];
  const stored = new S3Bucket(minPart);
  const asked: string[] = [];

  function serve(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    checkSignature(request, body, { credentials, region });
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://here');
    const [, first, ...rest] = pathname.split('/').map(decodeURIComponent);
    if (first !== bucket) throw new S3Refusal(404, 'NoSuchBucket');
    const key = rest.join('/');
    const uploadId = query.get('uploadId');
    switch (`${request.method}${key === '' ? ' bucket' : ''}${uploadId === null ? '' : ' upload'}`) {
      case 'GET bucket':
        response.end(stored[query.has('uploads') ? 'listUploads' : 'list'](query.get('prefix') ?? ''));
        return;
      case 'POST':
        response.end(
          `<InitiateMultipartUploadResult><UploadId>${stored.begin(key)}</UploadId></InitiateMultipartUploadResult>`,
        );
        return;
      case 'PUT upload':
        stored.upload(uploadId, key).parts.set(Number(query.get('partNumber')), body);
        response.writeHead(200, { etag: etag(body) }).end();
        return;
      case 'POST upload':
        stored.complete(uploadId ?? '', key, body.toString('utf8'));
        response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
        return;
      case 'DELETE upload':
        stored.abort(uploadId ?? '', key);
        response.writeHead(204).end();
        return;
      case 'PUT':
        stored.objects.set(key, body);
        response.writeHead(200, { etag: etag(body) }).end();
        return;
      case 'DELETE':
        stored.objects.delete(key);
        response.writeHead(204).end();
        return;
      case 'GET': {
        const object = stored.objects.get(key);
        if (!object) throw new S3Refusal(404, 'NoSuchKey');
        const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
        const content = object.subarray(from);
        response.writeHead(from > 0 ? 206 : 200, { 'content-length': content.length });
        if (server.trouble('BODY', request.url ?? '') !== 'cut') return void response.end(content);
        response.write(content.subarray(0, content.length >> 1), () => response.destroy());
        return;
      }
      default:
        throw new S3Refusal(405, 'MethodNotAllowed');
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
      if (trouble === 'unavailable') throw new S3Refusal(503, 'SlowDown');
      serve(request, response, body);
    } catch (error) {
      if (!(error instanceof S3Refusal)) throw error;
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
    objects: stored.objects,
    get uploads() {
      return stored.uploadIds;
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
