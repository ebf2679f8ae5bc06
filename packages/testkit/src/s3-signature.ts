import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { S3Refusal } from './s3-refusal.ts';

interface Signers {
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
}

const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Throws unless the request has a valid version 4 signature over its body. */
export function checkSignature(
  { method = '', headers, url = '' }: IncomingMessage,
  body: Buffer,
  { credentials, region }: Signers,
): void {
  const signed =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (!signed) throw new S3Refusal(403, 'AccessDenied');
  const [, id, day = '', scopeRegion = '', names = '', signature] = signed;
  if (id !== credentials.accessKeyId) throw new S3Refusal(403, 'InvalidAccessKeyId');
  if (scopeRegion !== region) throw new S3Refusal(400, 'AuthorizationHeaderMalformed');
  const time = String(headers['x-amz-date']);
  if (headers['x-amz-content-sha256'] !== hash(body)) throw new S3Refusal(400, 'XAmzContentSHA256Mismatch');
  for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!names.split(';').includes(name)) throw new S3Refusal(403, 'AccessDenied');
  const [path = '', search = ''] = url.split('?');
  const query = search === '' ? [] : search.split('&').map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  const lines = names.split(';').map((name) => `${name}:${headers[name]}`);
  const request = [method, path, query.sort().join('&'), ...lines, '', names, hash(body)].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const expected = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash(request)].join('\n')).toString('hex');
  if (expected !== signature) throw new S3Refusal(403, 'SignatureDoesNotMatch');
}
